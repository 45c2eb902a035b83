// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Glibc
import LinuxSystem
import TaskModel

/// A copy of a ledger that a host made before it upgraded the schema, in the directory of the ledger. An older host can
/// continue with the copy.
package struct LedgerCopy: Hashable, Sendable {
    package let path: String
    /// The schema version of the copied ledger.
    package let version: Int64

    /// Maximum number of copies that remain after an upgrade: those of the newest versions.
    package static let kept = 2

    private static let infix = ".version-"
    private static let draftSuffix = ".partial"

    private let ledger: String
    /// Path of the unfinished copy, which is renamed to `path` when it is complete and on disk.
    private var draft: String { path + Self.draftSuffix }

    /// The place of the copy of the ledger at `ledger` with the schema version `version`.
    package init(of ledger: String, version: Int64) {
        self.ledger = ledger
        self.version = version
        path = ledger + Self.infix + String(version)
    }

    /// The copies of the ledger at `ledger`, the newest version first.
    package static func all(of ledger: String) -> [LedgerCopy] {
        let prefix = FilePlace.name(of: ledger) + infix
        return FilePlace.names(in: FilePlace.directory(of: ledger))
            .filter { $0.hasPrefix(prefix) }
            .compactMap { name in Int64(name.dropFirst(prefix.count)).map { LedgerCopy(of: ledger, version: $0) } }
            .sorted { $0.version > $1.version }
    }

    /// Makes the copy from an open connection, so that it contains the changes in the write-ahead log. An earlier copy
    /// of this version is replaced. The copy has the owner and the mode of the ledger. The device tokens have ended in
    /// it, because it stays beside the ledger after their end in the ledger.
    func make(from database: Database, freeBytes: (_ directory: String) -> Int64?) throws(LedgerError) {
        do {
            let (pages, pageSize) = (
                try Int64.fetchOne(database, sql: "PRAGMA page_count"),
                try Int64.fetchOne(database, sql: "PRAGMA page_size")
            )
            let (size, overflows) = (pages ?? 0).multipliedReportingOverflow(by: pageSize ?? 0)
            if let problem = spaceProblem(size: overflows ? .max : size, freeBytes: freeBytes) { throw problem }
            removeDraft()
            try createDraft()
            let now = SystemClock().now().wall
            try database.copy(toEmptyFile: draft) { try $0.dropPushTokens(at: now) }
            try sync(draft, O_RDONLY)
            guard rename(draft, path) == 0 else { throw SystemError(number: errno, attempt: "rename \(draft)") }
            try sync(FilePlace.directory(of: path), O_RDONLY | O_DIRECTORY)
        } catch {
            removeDraft()
            throw (error as? LedgerError) ?? .cannotCopy(ledger, to: path, version: version, cause: error)
        }
    }

    /// Deletes the copy.
    func remove() { unlink(path) }

    /// Deletes the unfinished copy with its write-ahead log, which would else be applied to the next one.
    private func removeDraft() { for suffix in ["", "-wal", "-shm"] { unlink(draft + suffix) } }

    /// Deletes the copies of older versions than the newest `kept` ones, and unfinished copies.
    static func removeOutdated(of ledger: String) {
        for copy in all(of: ledger).dropFirst(kept) { copy.remove() }
        let prefix = FilePlace.name(of: ledger) + infix
        let directory = FilePlace.directory(of: ledger)
        for name in FilePlace.names(in: directory) where name.hasPrefix(prefix) && name.contains(draftSuffix) {
            unlink("\(directory)/\(name)")
        }
    }

    // MARK: - Free space

    /// The problem that prevents an upgrade of the ledger on its present disk; nil when the disk has enough space, or
    /// its free space is unknown.
    ///
    /// An upgrade needs at most three times the size of the ledger: for the copy, for the write-ahead log, and for the
    /// growth of the ledger.
    package func spaceProblem() -> LedgerError? {
        var total: Int64 = 0
        for file in [ledger, ledger + "-wal"] {
            var status = stat()
            if stat(file, &status) == 0 { total += Int64(status.st_size) }
        }
        return spaceProblem(size: total, freeBytes: Self.freeBytes)
    }

    private func spaceProblem(size: Int64, freeBytes: (_ directory: String) -> Int64?) -> LedgerError? {
        let (needed, overflows) = size.multipliedReportingOverflow(by: 3)
        guard let free = freeBytes(FilePlace.directory(of: ledger)), overflows || free < needed else { return nil }
        return .noSpaceToUpgrade(ledger, version: version, needed: overflows ? .max : needed, free: free)
    }

    /// Number of free bytes for the user of this process on the disk of a directory; nil when it is unknown.
    package static func freeBytes(in directory: String) -> Int64? {
        var system = statvfs()
        guard statvfs(directory, &system) == 0 else { return nil }
        let (free, overflows) = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
        return overflows ? .max : Int64(clamping: free)
    }

    // MARK: - The file

    private func createDraft() throws(SystemError) {
        var status = stat()
        guard stat(ledger, &status) == 0 else { throw SystemError(number: errno, attempt: "read \(ledger)") }
        let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(number: errno, attempt: "create \(draft)") }
        defer { close(descriptor) }
        if status.st_uid != geteuid() || status.st_gid != getegid() {
            guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else {
                throw SystemError(number: errno, attempt: "give \(draft) the owner of the ledger")
            }
        }
        guard fchmod(descriptor, status.st_mode & 0o777) == 0 else {
            throw SystemError(number: errno, attempt: "change the mode of \(draft)")
        }
    }

    private func sync(_ path: String, _ flags: CInt) throws(SystemError) {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(number: errno, attempt: "open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError(number: errno, attempt: "write \(path) to disk") }
    }
}

extension Database {
    /// Copies the database, as this connection sees it, into the empty file at `path`. The caller deletes the file
    /// after a failure.
    ///
    /// - Parameter change: a change of the copy before it is closed.
    func copy(toEmptyFile path: String, changing change: (Database) throws -> Void = { _ in }) throws {
        let copy = try DatabaseQueue(path: path)
        try copy.writeWithoutTransaction { target in
            // The file is deleted after a failure, so that it needs no journal to roll back.
            try target.execute(sql: "PRAGMA journal_mode = OFF")
            // As in the ledger: `change` deletes device tokens.
            try target.execute(sql: "PRAGMA secure_delete = ON")
            try backup(to: target)
            try change(target)
        }
        try copy.close()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Glibc

/// A ledger's file before it is opened for writing. It looks only, so that a file that is refused stays as it was.
struct LedgerFile {
    let path: String

    /// Throws unless this host may write the ledger, or may begin one here. Reads the header, the log's header, the versions
    /// and, for damage, the tables that `check` names.
    func examine() throws(LedgerError) {
        guard try exists() else { return }
        // The header may be behind the write-ahead log, which only SQLite reads.
        try readOnly("examining it before it is opened") { database in
            guard try judgeVersion(of: database) else { return }
            readAhead()
            try check(database)
        }
    }

    /// Whether there is a ledger, and not only the place for one. Throws when there is something else.
    func exists() throws(LedgerError) -> Bool {
        let header = try header()
        switch try log.contents(pageSize: header?.pageSize) {
        case .foreign(let problem): throw .foreignLog(path, problem: problem)
        // SQLite would take the ledger for a new one, and remove the log.
        case .changes where header == nil: throw .logWithoutLedger(path)
        case .changes, .nothing: break
        }
        guard let header else { return false }
        try judge(header)
        return true
    }

    /// Runs `body` on a connection that cannot write.
    func readOnly<Value>(_ operation: String, _ body: (Database) throws -> Value) throws(LedgerError) -> Value {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let value = try database.read(body)
            try database.close()
            return value
        } catch {
            throw LedgerError(error, while: operation, in: path)
        }
    }

    private var log: WriteAheadLog { WriteAheadLog(path: path + "-wal") }

    /// Begins an empty file that only its owner may read: payloads belong to their submitters.
    func createIfAbsent() throws(LedgerError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .cannotOpen(path, errno: errno) }
        close(descriptor)
    }

    // MARK: - The header

    private struct Header {
        static let length = 100
        static let magic = Array("SQLite format 3\u{0}".utf8)

        let bytes: [UInt8]
        var isSQLite: Bool { bytes.count == Self.length && bytes.starts(with: Self.magic) }
        /// Two bytes; the largest size does not fit and stands as 1.
        var pageSize: Int? {
            guard isSQLite else { return nil }
            let written = Int(bytes[16]) << 8 | Int(bytes[17])
            return written == 1 ? 65_536 : written
        }
        var version: Int64 { integer(at: 60) }
        var applicationID: Int64 { integer(at: 68) }

        private func integer(at offset: Int) -> Int64 {
            Int64(bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        }
    }

    /// Nil when there is no file yet, or an empty one.
    private func header() throws(LedgerError) -> Header? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw .cannotOpen(path, errno: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Header.length)
        let count = read(descriptor, &bytes, bytes.count)
        if count < 0 { throw .cannotOpen(path, errno: errno) }
        return count == 0 ? nil : Header(bytes: Array(bytes.prefix(count)))
    }

    private func judge(_ header: Header) throws(LedgerError) {
        guard header.isSQLite else { throw .notADatabase(path) }
        // Zero stays until the first migration is committed.
        if header.applicationID == 0 { return }
        guard header.applicationID == LedgerSchema.applicationID else { throw .notALedger(path) }
        guard header.version <= LedgerSchema.version else {
            throw .newer(path, found: "version \(header.version)", known: LedgerSchema.version)
        }
    }

    // MARK: - The contents

    /// False when an earlier start got no further than creating the file; throws when it is not this host's to write.
    func judgeVersion(of database: Database) throws -> Bool {
        let applicationID = try Int64.fetchOne(database, sql: "PRAGMA application_id")
        if applicationID == 0, try isUntouched(database) { return false }
        guard applicationID == LedgerSchema.applicationID else { throw LedgerError.notALedger(path) }

        let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let known = LedgerSchema.migrator.migrations
        let unknown = try LedgerSchema.migrator.appliedIdentifiers(database).subtracting(known).sorted()
        if version > LedgerSchema.version || !unknown.isEmpty {
            let steps = unknown.isEmpty ? "" : " with the unknown step \"\(unknown.joined(separator: "\", \""))\""
            throw LedgerError.newer(path, found: "version \(version)\(steps)", known: LedgerSchema.version)
        }
        return true
    }

    /// Whether an earlier start got no further than creating the file.
    private func isUntouched(_ database: Database) throws -> Bool {
        let others = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'"
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema WHERE \(others)") == 0
    }

    /// Reads the pages of the tables that a start depends on, with SQLite's quick check of their structure and columns.
    ///
    /// Launches, tasks, waits and the journal grow with the history of the host and are left out, payloads with the size
    /// of what was submitted. All of it is read only when a write-ahead log was left over and nothing shows whether the
    /// ledger beside it is the one that it continues, as after a crash within a migration. `LedgerInspection` always
    /// examines everything.
    private func check(_ database: Database) throws {
        var tables: [String?] = [nil]
        if try isLogKnown(database) {
            // A table that a later version added is absent from an older ledger.
            let present = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            tables = present.filter(Self.startTables.contains)
        }
        for table in tables {
            let finding = try String.fetchOne(database, sql: "PRAGMA quick_check\(table.map { "(\($0))" } ?? "")")
            if let finding, finding != "ok" { throw LedgerError.damaged(path, finding: finding) }
        }
    }

    /// Asks the kernel to read the beginning of the file into its cache, and does not wait for it. The check follows the
    /// trees of the tables, which takes ten times as long from a disk: a million requests took 2.7 s, and 0.3 s ahead.
    private func readAhead() {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return }
        defer { close(descriptor) }
        // The kernel reads no more than this at one request.
        let chunk = 512 << 10
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        for offset in stride(from: 0, to: min(Int(status.st_size), Self.mostReadAhead), by: chunk) {
            posix_fadvise(descriptor, offset, chunk, POSIX_FADV_WILLNEED)
        }
    }

    /// Bytes; enough for a million requests. The rest of a larger file is mostly history and payloads.
    private static let mostReadAhead = 256 << 20

    private static let startTables: Set = [
        "plugin", "known_plugin", "counter", "request", "event", "deferral", "fetch_schedule", "occasion",
    ]

    /// Whether the log, if one was left over, continues this ledger. False when nothing shows it; throws when it does not:
    /// a copy of the ledger was restored under it, or a copy of the log beside it.
    ///
    /// The ledger with its log counts the groups committed up to the last one in the log, and the file alone those up to
    /// some moment since the log began.
    @discardableResult
    func isLogKnown(_ database: Database) throws -> Bool {
        guard try log.contents(pageSize: nil) == .changes else { return true }
        guard let header = try header(), let pageSize = header.pageSize, header.version >= LedgerSchema.countsCommits,
            let page = try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'counter'"),
            let commits = try Int64.fetchOne(database, sql: "SELECT commits FROM counter"),
            let without = try CommitCount(path: path, pageSize: pageSize, page: page).read()
        else { return false }
        let inLog = try log.transactions(pageSize: pageSize)
        guard (0...Int64(inLog)).contains(commits - without) else {
            throw LedgerError.foreignLog(
                path,
                problem:
                    "it holds \(inLog) transactions, and the ledger has \(commits) commits with it and \(without) without"
            )
        }
        return true
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Glibc

/// A ledger's file before it is opened for writing. It looks only, so that a file that is refused stays as it was.
struct LedgerFile {
    let path: String

    /// Throws unless this host may write the ledger, or may begin one here.
    func examine() throws(LedgerError) {
        guard let header = try header() else { return }
        try judge(header)
        do {
            // The header may be behind the write-ahead log, which only SQLite reads.
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read(judge)
            try database.close()
        } catch {
            throw LedgerError(error, while: "examining it before it is opened", in: path)
        }
    }

    /// Begins an empty file that only its owner may read: payloads are nobody else's business.
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

    private func judge(_ database: Database) throws {
        let applicationID = try Int64.fetchOne(database, sql: "PRAGMA application_id")
        if applicationID == 0, try isUntouched(database) { return }
        guard applicationID == LedgerSchema.applicationID else { throw LedgerError.notALedger(path) }

        let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let known = LedgerSchema.migrator.migrations
        let unknown = try LedgerSchema.migrator.appliedIdentifiers(database).subtracting(known).sorted()
        if version > LedgerSchema.version || !unknown.isEmpty {
            let steps = unknown.isEmpty ? "" : " with the unknown step \"\(unknown.joined(separator: "\", \""))\""
            throw LedgerError.newer(path, found: "version \(version)\(steps)", known: LedgerSchema.version)
        }
        try check(database)
    }

    /// Whether an earlier start got no further than creating the file.
    private func isUntouched(_ database: Database) throws -> Bool {
        let others = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'"
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema WHERE \(others)") == 0
    }

    /// Checks what is read at every start anyway; launches and journal grow without bound and are left out.
    private func check(_ database: Database) throws {
        for table in ["plugin", "known_plugin", "counter", "request", "event"] {
            let finding = try String.fetchOne(database, sql: "PRAGMA quick_check(\(table))")
            if let finding, finding != "ok" { throw LedgerError.damaged(path, finding: finding) }
        }
    }
}

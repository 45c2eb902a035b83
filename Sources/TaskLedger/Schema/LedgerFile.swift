// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Glibc
import LinuxSystem

/// Examines the file of a ledger before the ledger is opened for writing. The examination only reads, so a refused file
/// stays unchanged, except that SQLite rolls back an unfinished transaction of a file without an application ID.
struct LedgerFile {
    let path: String

    /// Throws when the file at `path` is not a ledger of a version that this host supports, or when the ledger or its
    /// write-ahead log is damaged or cannot be read. Does nothing for a missing or empty file without a log. Reads the
    /// header of the file, the write-ahead log, the versions, and the tables that `check` selects. Whether the file can
    /// be written is not examined.
    func examine() throws(LedgerError) {
        try rollBackCreation()
        guard try exists() else { return }
        // The header may be older than the write-ahead log, which only SQLite can read.
        try readOnly("examining its file before opening it") { database in
            guard try judgeVersion(of: database) else { return }
            readAhead()
            try check(database)
        }
    }

    /// Rolls back the creation of a ledger that an earlier start did not finish: the file has no application ID yet, and
    /// its rollback journal is left. Only a connection that writes can do this. Later changes have a write-ahead log.
    private func rollBackCreation() throws(LedgerError) {
        guard let header = try header(), header.isSQLite, header.applicationID == 0, FilePlace.exists(path + "-journal")
        else { return }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            _ = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
            try database.close()
        } catch {
            throw LedgerError(error, while: "rolling back its unfinished creation", in: path)
        }
    }

    /// Whether a ledger exists; false for a missing or empty file. Throws when the header is not that of a ledger of a
    /// supported version, or when the write-ahead log beside the file does not belong to it or is damaged.
    func exists() throws(LedgerError) -> Bool {
        let header = try header()
        switch try log.contents(pageSize: header?.pageSize) {
        case .foreign(let problem): throw .foreignLog(path, problem: problem)
        // SQLite would treat the ledger as new and delete the log.
        case .changes where header == nil: throw .logWithoutLedger(path)
        case .changes, .nothing: break
        }
        guard let header else { return false }
        try judge(header)
        if let damage = try log.damage() { throw .damagedLog(path, damage) }
        return true
    }

    /// Copies the ledger if its schema is older than this host's. Returns nil without a ledger, for a ledger of the
    /// present version, and for one whose first migration was never committed. A failure leaves the ledger unchanged:
    /// the connection only reads.
    func copyIfOlder(freeBytes: (_ directory: String) -> Int64?) throws(LedgerError) -> LedgerCopy? {
        guard try header() != nil else { return nil }
        return try readOnly("copying it") { database in
            let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard 0 < version, version < LedgerSchema.version else { return nil }
            let copy = LedgerCopy(of: path, version: version)
            try copy.make(from: database, freeBytes: freeBytes)
            return copy
        }
    }

    /// Runs `body` on a read-only connection and closes the connection.
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

    /// Creates an empty file if there is none. Only the owner can read the file, because payloads are private to their
    /// submitters.
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
        /// The page size in bytes; nil for a file of another format. The header has two bytes for the size: the largest
        /// size, 65,536, does not fit and is stored as 1.
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

    /// The header of the file; nil when the file is missing or empty.
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
        // The application ID is zero until the first migration is committed.
        if header.applicationID == 0 { return }
        guard header.applicationID == LedgerSchema.applicationID else { throw .notALedger(path) }
        guard header.version <= LedgerSchema.version else {
            throw .newer(path, found: header.version, known: LedgerSchema.version)
        }
    }

    // MARK: - The contents

    /// Whether the database is a ledger that this host can write. False when the file has no tables yet, because an
    /// earlier start ended before the first migration. Throws when this host must not write the file.
    func judgeVersion(of database: Database) throws -> Bool {
        let applicationID = try Int64.fetchOne(database, sql: "PRAGMA application_id")
        if applicationID == 0, try isUntouched(database) { return false }
        guard applicationID == LedgerSchema.applicationID else { throw LedgerError.notALedger(path) }

        let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let known = LedgerSchema.migrator.migrations
        let unknown = try LedgerSchema.migrator.appliedIdentifiers(database).subtracting(known).sorted()
        if version > LedgerSchema.version {
            throw LedgerError.newer(path, found: version, known: LedgerSchema.version)
        }
        if !unknown.isEmpty { throw LedgerError.unknown(path, steps: unknown) }
        return true
    }

    /// Whether the database has only tables of SQLite and GRDB: an earlier start ended right after creating the file.
    private func isUntouched(_ database: Database) throws -> Bool {
        let others = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'"
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema WHERE \(others)") == 0
    }

    /// Runs SQLite's quick check of structure and columns on the tables that a start depends on.
    ///
    /// Launches, tasks, waits and the journal grow with the history of the host, and payloads with the submitted data:
    /// these tables are skipped. All tables are checked when a write-ahead log was left over and its relation to the
    /// ledger is unknown, as after a crash during a migration. `LedgerInspection` always examines all tables.
    private func check(_ database: Database) throws {
        var tables: [String?] = [nil]
        if try isLogKnown(database) {
            // An older ledger lacks the tables that a later version added.
            let present = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            tables = present.filter(Self.startTables.contains)
        }
        for table in tables {
            let finding = try String.fetchOne(database, sql: "PRAGMA quick_check\(table.map { "(\($0))" } ?? "")")
            if let finding, finding != "ok" { throw LedgerError.damaged(path, finding: finding) }
        }
    }

    /// Requests the kernel to read the beginning of the file into its cache, and returns at once. The check that
    /// follows reads the pages in the order of the tables' trees, which is ten times slower from disk than from the
    /// cache: for a million requests it took 2.7 s without this read-ahead, and 0.3 s with it.
    private func readAhead() {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return }
        defer { close(descriptor) }
        // The maximum that the kernel reads per request.
        let chunk = 512 << 10
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        for offset in stride(from: 0, to: min(Int(status.st_size), Self.mostReadAhead), by: chunk) {
            posix_fadvise(descriptor, offset, chunk, POSIX_FADV_WILLNEED)
        }
    }

    /// Maximum number of bytes to read ahead; enough for a million requests. The rest of a larger file is mostly
    /// history and payloads.
    private static let mostReadAhead = 256 << 20

    private static let startTables: Set = [
        "plugin", "known_plugin", "counter", "request", "event", "deferral", "fetch_schedule", "occasion",
        "plugin_user",
    ]

    /// Whether the write-ahead log continues this ledger; true without a log. False when this cannot be determined.
    /// Throws when the log belongs to another state of the ledger, because either the file or the log was restored from
    /// a copy alone.
    ///
    /// The commit counts with and without the log must not differ by more than the number of transactions in the log.
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
            let transactions = inLog == 1 ? "1 transaction" : "\(inLog) transactions"
            throw LedgerError.foreignLog(
                path,
                problem:
                    "the write-ahead log has \(transactions), but the commit count of the ledger is \(without) without"
                    + " the log and \(commits) with it; a log of this ledger adds at most 1 for each transaction"
            )
        }
        return true
    }
}

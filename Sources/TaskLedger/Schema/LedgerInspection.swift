// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// The result of an inspection of a ledger that no host has open. The inspection never writes, moves or migrates the
/// ledger.
package struct LedgerInspection: Sendable {
    package enum State: Hashable, Sendable {
        /// There is no ledger; the host creates an empty one at its next start.
        case absent
        case readable(version: Int64)
        /// The ledger has problems or cannot be read. A host refuses such a ledger, unless the only damage is in tables
        /// that its start does not check.
        case refused
    }

    package let state: State
    /// Complete messages about the problems found, each with the file, the rule and the remedy.
    package let problems: [String]
    /// The contents of the ledger as the next host would load them, but with past launches of any age; nil when there
    /// is no ledger, or it cannot be read.
    package let snapshot: LedgerSnapshot?
    /// Number of pending requests; nil when there is no ledger, or some of the requests cannot be read.
    package let pendingRequests: Int?
    /// The incarnation of the ledger; nil when there is no ledger, or it cannot be read.
    package let incarnation: Int64?
    /// The indexes of the users of main plugins; empty when there is no ledger, or it cannot be read.
    package let userIndexes: [PluginIdentifier: Int]
    /// The version of ledgers that this program writes.
    package static var knownVersion: Int64 { LedgerSchema.version }

    /// Inspects the ledger at `path`: every page, every reference, every pending row and the size of every payload.
    /// Takes as long as reading the whole file.
    package init(path: String) {
        var examination = Examination(path: path)
        do throws(LedgerError) {
            let file = LedgerFile(path: path)
            if try file.exists() {
                try file.readOnly("checking it") { try examination.inspect($0, file: file) }
            } else {
                examination.state = .absent
            }
        } catch {
            examination.problems.append(error.finding)
        }
        (state, problems) = (examination.state, examination.problems)
        (snapshot, pendingRequests) = (examination.snapshot, examination.pendingRequests)
        (incarnation, userIndexes) = (examination.incarnation, examination.userIndexes)
    }
}

/// The intermediate results of an inspection.
private struct Examination {
    let path: String
    var state = LedgerInspection.State.refused
    var problems: [String] = []
    var snapshot: LedgerSnapshot?
    var pendingRequests: Int?
    var incarnation: Int64?
    var userIndexes: [PluginIdentifier: Int] = [:]

    init(path: String) { self.path = path }

    mutating func inspect(_ database: Database, file: LedgerFile) throws {
        guard try file.judgeVersion(of: database) else { return state = .absent }
        try file.isLogKnown(database)
        let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        problems = try Self.findings(in: database).map { LedgerError.damaged(path, finding: $0).finding }
        if version == LedgerSchema.version {
            try readContents(of: database)
        } else {
            try readContents(ofOlder: database)
        }
        if problems.isEmpty { state = .readable(version: version) }
    }

    /// Migrates a copy of an older ledger and reads the copy, so that the result equals the state that the next host
    /// would load. SQLite keeps a large copy on disk and removes it when the connection is closed.
    private mutating func readContents(ofOlder database: Database) throws {
        let copy = try DatabaseQueue(path: "")
        try copy.writeWithoutTransaction { try database.backup(to: $0) }
        try LedgerSchema.migrator.migrate(copy)
        try copy.read { try readContents(of: $0) }
    }

    private mutating func readContents(of database: Database) throws {
        snapshot = try database.snapshot(at: nil)
        incarnation = try database.incarnation()
        userIndexes = try database.userIndexes()
        var (requests, unreadable) = (0, 0)
        for plugin in snapshot?.pendingPlugins ?? [] {
            do {
                requests += try database.work(of: plugin).requests.count
            } catch {
                unreadable += 1
                if unreadable > Self.mostFindings { break }
                problems.append(LedgerError(error, while: "reading the pending work of \(plugin)", in: path).finding)
            }
        }
        pendingRequests = unreadable == 0 ? requests : nil
        for fault in try database.alertFaults().prefix(Self.mostFindings) {
            problems.append(LedgerError(fault, while: "reading the alerts", in: path).finding)
        }
        for row in try Row.fetchAll(database, sql: Self.wrongPayloads) {
            // Values of a damaged ledger may have any type.
            let values: [DatabaseValue] = [row[0], row[1], row[2]]
            let finding = "submission \(values[0]) has \(values[2]) bytes of payload instead of \(values[1])"
            problems.append(LedgerError.damaged(path, finding: finding).finding)
        }
    }

    /// The SQL query for damaged payloads: work whose payload has the wrong size, and payloads that belong to no work,
    /// which the query reports with an expected size of 0 bytes.
    private static let wrongPayloads = """
        WITH work (submission, size) AS (
            SELECT number, payload_size FROM request UNION ALL SELECT number, payload_size FROM event
            UNION ALL SELECT submission, payload_size FROM task WHERE is_over = 0
        )
        SELECT submission, size, ifnull(length(bytes), 0) FROM work LEFT JOIN payload USING (submission)
        WHERE size <> ifnull(length(bytes), 0)
        UNION ALL
        SELECT submission, 0, ifnull(length(bytes), 0) FROM payload WHERE submission NOT IN (SELECT submission FROM work)
        LIMIT \(mostFindings)
        """

    /// Maximum number of findings of one type. It is enough to show the extent of the damage.
    private static let mostFindings = 20

    private static func findings(in database: Database) throws -> [String] {
        let pages = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(mostFindings))")
        if pages != ["ok"] { return pages.flatMap { $0.split(separator: "\n").map(String.init) } }
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT DISTINCT \"table\", parent FROM pragma_foreign_key_check LIMIT \(mostFindings)"
        )
        return rows.map { row in
            let names: [DatabaseValue] = [row[0], row[1]]
            let words = names.map { String.fromDatabaseValue($0) ?? $0.description }
            return "rows of table \(words[0]) refer to rows of \(words[1]) that do not exist"
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// What a look at a ledger found that no host has open. Nothing of the ledger is written, moved or brought up to date.
package struct LedgerInspection: Sendable {
    package enum State: Hashable, Sendable {
        /// The host begins an empty one at its next start.
        case absent
        case readable(version: Int64)
        /// A host would refuse it.
        case refused
    }

    package let state: State
    /// Whole messages, each with the file, the rule and the remedy.
    package let problems: [String]
    /// What the next host goes on from; nil when it cannot be read.
    package let snapshot: LedgerSnapshot?
    /// The version that this program knows.
    package static var knownVersion: Int64 { LedgerSchema.version }

    /// Checks every page and every reference; takes as long as reading the whole file does.
    package init(path: String) {
        var problems: [String] = []
        var state = State.refused
        var snapshot: LedgerSnapshot?
        do throws(LedgerError) {
            let file = LedgerFile(path: path)
            guard try file.exists() else {
                (self.state, self.problems, self.snapshot) = (.absent, [], nil)
                return
            }
            try file.look("checking it") { database in
                guard try file.judgeVersion(of: database) else { return state = .absent }
                let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                problems = try Self.findings(in: database).map { LedgerError.damaged(path, finding: $0).finding }
                snapshot = try Self.snapshot(of: database, version: version)
                if problems.isEmpty { state = .readable(version: version) }
            }
        } catch {
            problems.append(error.finding)
        }
        (self.state, self.problems, self.snapshot) = (state, problems, snapshot)
    }

    /// An older ledger is brought up to date in a copy, so that this is what the next host finds. SQLite keeps the copy
    /// on disk when it is large, and removes it with the connection.
    private static func snapshot(of database: Database, version: Int64) throws -> LedgerSnapshot {
        if version == LedgerSchema.version { return try database.snapshot(at: nil) }
        let copy = try DatabaseQueue(path: "")
        try copy.writeWithoutTransaction { try database.backup(to: $0) }
        try LedgerSchema.migrator.migrate(copy)
        return try copy.read { try $0.snapshot(at: nil) }
    }

    /// Enough to see how far it goes.
    private static let mostFindings = 20

    private static func findings(in database: Database) throws -> [String] {
        let pages = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(mostFindings))")
        if pages != ["ok"] { return pages.flatMap { $0.split(separator: "\n").map(String.init) } }
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT DISTINCT \"table\", parent FROM pragma_foreign_key_check LIMIT \(mostFindings)"
        )
        return rows.map { row in
            let (table, parent): (String, String) = (row[0], row[1])
            return "rows of table \(table) refer to rows of \(parent) that are not there"
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// A database for DatabaseCleaner that records each deletion, in the same transaction, and holds the deletion of one
/// row: the row of the gate.
struct GatedDatabase {
    static let oldRows = 2400
    static let keptRows = 200

    let path: String

    /// Creates the database in the container of the plugin.
    static func make(for plugin: TestPlugin, in host: HostFixture, gate: Int) async throws -> GatedDatabase {
        let container = "state/containers/\(plugin.identifier)"
        try host.directory.makeDirectory(container)
        let database = GatedDatabase(path: host.directory.file("\(container)/files.sqlite"))
        _ = try await database.query(
            """
            CREATE TABLE files (path TEXT, modified INTEGER);
            CREATE TABLE deleted (row INTEGER);
            CREATE TABLE gate (row INTEGER);
            INSERT INTO gate VALUES (\(gate));
            WITH RECURSIVE row (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row LIMIT \(oldRows + keptRows))
            INSERT INTO files SELECT number, CASE WHEN number <= \(oldRows) THEN 0 ELSE unixepoch() END FROM row;
            CREATE VIEW minutes AS
                WITH RECURSIVE row (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row LIMIT 4000000000)
                SELECT number FROM row;
            CREATE TRIGGER deletion AFTER DELETE ON files BEGIN INSERT INTO deleted VALUES (old.rowid); END;
            CREATE TRIGGER held AFTER DELETE ON files WHEN old.rowid IN (SELECT row FROM gate) BEGIN
                SELECT count(*) FROM minutes;
            END;
            """
        )
        return database
    }

    /// Waits until a transaction is held that follows the commits of a number of deleted rows.
    func waitForHeldBatch(after rows: Int) async throws {
        let journal = path + "-journal"
        try await withDeadline(waitingFor: "a held transaction after \(rows) rows") {
            while true {
                let deleted = try await query("SELECT count(*) FROM deleted")
                if deleted == "\(rows)", FileManager.default.fileExists(atPath: journal) { return }
                try Task.checkCancellation()
            }
        }
    }

    /// Moves the gate to another row, after the transaction of a killed process was rolled back. The transaction of
    /// this call continues the file of that transaction, and so creates none.
    func moveGate(to row: Int) async throws { _ = try await query("UPDATE gate SET row = \(row)") }

    func query(_ sql: String) async throws -> String {
        let run = try await ProgramRun.of("/usr/bin/sqlite3", ["-cmd", ".timeout 20000", path, sql])
        if run.status != 0 { throw HostFailure("sqlite3 refused:\n\(run.error)") }
        return run.output.trimmingCharacters(in: .newlines)
    }
}

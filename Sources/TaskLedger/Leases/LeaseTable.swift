// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Stores a lease. The owner of an existing lease stays, and its acknowledged number never falls.
    func store(_ lease: LeaseRecord) throws {
        try run(Lease.store, lease.name, Int64(lease.owner), lease.acknowledged, lease.length.wholeNanoseconds)
    }

    func removeLease(_ name: String) throws { try run(Lease.remove, name) }
}

extension Database {
    /// The number up to which every feeder has acknowledged the entries with a claim; the highest possible number
    /// without leases.
    func acknowledgedEntry() throws -> Int64 {
        try Int64.fetchOne(cachedStatement(sql: "SELECT min(acknowledged) FROM lease")) ?? .max
    }

    /// The leases, ordered by name.
    func leases() throws -> [LeaseRecord] {
        try rows("SELECT name, owner, acknowledged, length_ns FROM lease ORDER BY name", of: "lease") { row in
            LeaseRecord(
                name: try row.text("name"),
                owner: UInt32(clamping: try row.integer("owner")),
                acknowledged: try row.integer("acknowledged"),
                length: try row.duration("length_ns")
            )
        }
    }
}

private enum Lease {
    static let store = StatementText(
        """
        INSERT INTO lease (name, owner, acknowledged, length_ns) VALUES (?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET
            acknowledged = max(acknowledged, excluded.acknowledged), length_ns = excluded.length_ns
        """
    )
    static let remove = StatementText("DELETE FROM lease WHERE name = ?")
}

extension LedgerSchema {
    /// The leases under which feeders submit claims, and the mark of journal entries about tasks that ended with one.
    static let leases = """
        CREATE TABLE lease (
            name TEXT NOT NULL PRIMARY KEY,
            owner INTEGER NOT NULL,
            acknowledged INTEGER NOT NULL,
            length_ns INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE journal ADD COLUMN lease_lost INTEGER;
        """
}

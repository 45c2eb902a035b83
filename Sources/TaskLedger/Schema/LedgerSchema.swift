// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

/// The tables of the ledger and their migrations. A released migration is never edited; later changes are a new
/// migration.
enum LedgerSchema {
    /// The application ID "bgtk" in the header of every ledger, so that another program's database is not mistaken for
    /// a ledger.
    static let applicationID: Int64 = 0x6267_746b

    /// The first version whose ledgers count the groups of commits.
    static let countsCommits: Int64 = 4

    /// The version of ledgers that this host writes, stored in SQLite's `user_version`.
    static var version: Int64 { Int64(steps.count) }

    /// Applies the missing steps in one transaction, so that a failed upgrade leaves the ledger unchanged and the older
    /// host can continue with it.
    ///
    /// - Parameter beforeCommit: called when every step has succeeded: only the commit is left.
    static func upgrade(
        _ database: any DatabaseWriter,
        beforeCommit: @escaping @Sendable () throws -> Void = {}
    ) throws {
        let applied = try database.read { try migrator.appliedIdentifiers($0) }
        let missing = steps.enumerated().filter { !applied.contains($0.element.name) }
        guard let last = missing.last else { return }
        var joined = DatabaseMigrator()
        // The migrator records the last step itself.
        joined.registerMigration(last.element.name) { database in
            for (index, step) in missing {
                try apply(step, version: index + 1, to: database)
                if index == last.offset { break }
                try database.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [step.name])
            }
            try beforeCommit()
        }
        try joined.migrate(database)
    }

    /// A migrator that applies one step per transaction, for copies of a ledger and for tests. A host upgrades its
    /// ledger by `upgrade`.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, step) in steps.enumerated() {
            migrator.registerMigration(step.name) { try apply(step, version: index + 1, to: $0) }
        }
        return migrator
    }

    private static func apply(_ step: Step, version: Int, to database: Database) throws {
        try database.execute(sql: step.sql)
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }

    struct Step {
        let name: String
        let sql: String
    }

    static let steps = [
        Step(name: "1: pending, launches, journal, plugins", sql: first),
        Step(name: "2: journal by plugin, event, blame and time", sql: second),
        Step(name: "3: every kind of request, waits, fetches, occasions", sql: third),
        Step(name: "4: pending work by plugin, payloads apart, waits and deferrals by class", sql: fourth),
        Step(name: "5: journal with successors, counts and users", sql: fifth),
        Step(name: "6: blame of users", sql: usersBlame),
        Step(name: "7: journal entries about the host", sql: seventh),
        Step(name: "8: users of plugins", sql: eighth),
        Step(name: "9: pauses of plugins", sql: ninth),
        Step(name: "10: size of the journal", sql: journalSize),
        Step(name: "11: retries of failed tasks", sql: eleventh),
        Step(name: "12: incarnation", sql: twelfth),
        Step(name: "13: payloads for retries by users", sql: thirteenth),
        Step(name: "14: uses of plugins by hour of the week", sql: fourteenth),
        Step(name: "15: deadlines of requests, device tokens", sql: fifteenth),
        Step(name: "16: cursors of tasks", sql: sixteenth),
        Step(name: "17: pushes without a journal entry", sql: seventeenth),
        Step(name: "18: digests of device tokens", sql: tokenDigests),
        Step(name: "19: order and payloads of cursors, restarts, setbacks", sql: nineteenth),
        Step(name: "20: answers to pushes", sql: pushAnswers),
        Step(name: "21: transfers", sql: transfers),
        Step(name: "22: alerts, notifications", sql: notifications),
        Step(name: "23: claims", sql: claims),
        Step(name: "24: leases of feeders", sql: leases),
    ]

    private static let usersBlame = """
        UPDATE journal SET blame = 'user' WHERE blame = 'person';
        UPDATE launch SET blame = 'user' WHERE blame = 'person';
        """

    private static let fifth = """
        ALTER TABLE journal ADD COLUMN successor INTEGER;
        ALTER TABLE journal ADD COLUMN count INTEGER;
        ALTER TABLE journal ADD COLUMN user_id INTEGER;
        ALTER TABLE journal ADD COLUMN user_process INTEGER;
        ALTER TABLE journal ADD COLUMN user_command TEXT;
        """

    /// The first migration, which creates the tables. Tables refer to plugins by a small number, which halves the size
    /// of a pending request.
    private static let first = """
        CREATE TABLE plugin (
            id INTEGER PRIMARY KEY,
            identifier TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE known_plugin (
            plugin INTEGER PRIMARY KEY REFERENCES plugin (id),
            manifest_path TEXT NOT NULL,
            manifest_digest TEXT NOT NULL,
            library_digest TEXT NOT NULL,
            permitted TEXT NOT NULL,
            missing_since INTEGER
        ) STRICT;

        CREATE TABLE counter (
            name TEXT PRIMARY KEY,
            last INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        INSERT INTO counter (name, last) VALUES ('submission', 0), ('launch', 0);

        CREATE TABLE request (
            number INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            identifier TEXT NOT NULL,
            kind INTEGER NOT NULL,
            earliest_begin INTEGER,
            requires_network INTEGER NOT NULL,
            requires_external_power INTEGER NOT NULL,
            submitter INTEGER REFERENCES plugin (id),
            submitted_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            not_before INTEGER,
            runs_alone INTEGER NOT NULL,
            was_interrupted INTEGER NOT NULL,
            payload BLOB NOT NULL,
            UNIQUE (plugin, identifier)
        ) STRICT;

        CREATE TABLE event (
            number INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            type INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            not_before INTEGER,
            runs_alone INTEGER NOT NULL,
            was_interrupted INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;

        CREATE TABLE launch (
            number INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            lane INTEGER NOT NULL,
            cause INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            budget_ns INTEGER NOT NULL,
            grace_ns INTEGER NOT NULL,
            pid INTEGER NOT NULL,
            start_time INTEGER NOT NULL,
            boot TEXT NOT NULL,
            control_group TEXT,
            manifest_digest TEXT NOT NULL,
            library_digest TEXT NOT NULL,
            outcome TEXT,
            ended_at INTEGER,
            used_ns INTEGER,
            blame TEXT,
            message TEXT
        ) STRICT;

        CREATE INDEX launch_by_plugin ON launch (plugin);
        CREATE INDEX launch_running ON launch (number) WHERE outcome IS NULL;

        CREATE TABLE task (
            launch INTEGER NOT NULL REFERENCES launch (number) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            submission INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            label TEXT NOT NULL,
            event_type INTEGER,
            earliest_begin INTEGER,
            requires_network INTEGER NOT NULL,
            requires_external_power INTEGER NOT NULL,
            submitter INTEGER REFERENCES plugin (id),
            submitted_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            not_before INTEGER,
            runs_alone INTEGER NOT NULL,
            was_interrupted INTEGER NOT NULL,
            is_kept_from_returning INTEGER NOT NULL DEFAULT 0,
            is_over INTEGER NOT NULL DEFAULT 0,
            outcome TEXT,
            payload BLOB,
            PRIMARY KEY (launch, position)
        ) STRICT;

        CREATE TABLE journal (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            launch INTEGER,
            label TEXT,
            submission INTEGER,
            blame TEXT NOT NULL,
            message TEXT NOT NULL
        ) STRICT;

        CREATE INDEX journal_by_launch ON journal (launch) WHERE launch IS NOT NULL;
        CREATE INDEX journal_by_label ON journal (label) WHERE label IS NOT NULL;
        """

    /// The second migration: indexes for the filters of the journal, each ordered by number.
    private static let second = """
        CREATE INDEX journal_by_plugin ON journal (plugin);
        CREATE INDEX journal_by_event ON journal (event);
        CREATE INDEX journal_by_blame ON journal (blame);
        CREATE INDEX journal_by_time ON journal (at);
        """
}

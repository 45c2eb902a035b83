// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension LedgerSchema {
    /// The third migration, after which requests can have every kind. SQLite cannot drop a constraint from a column, so
    /// launches and requests move to new tables. The payload of a pending request has to remain the last column, behind
    /// all columns that are read without it. The migrator checks references only at the end of the migration, so
    /// dropping the old table of launches deletes no tasks.
    static let third = """
        CREATE TABLE new_launch (
            number INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            lane INTEGER NOT NULL,
            cause INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            budget_ns INTEGER,
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

        INSERT INTO new_launch SELECT * FROM launch;
        DROP TABLE launch;
        ALTER TABLE new_launch RENAME TO launch;

        CREATE INDEX launch_by_plugin ON launch (plugin);
        CREATE INDEX launch_running ON launch (number) WHERE outcome IS NULL;
        CREATE INDEX launch_by_end ON launch (ended_at) WHERE ended_at IS NOT NULL;

        CREATE TABLE new_request (
            number INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            identifier TEXT NOT NULL,
            kind INTEGER NOT NULL,
            earliest_begin INTEGER,
            requires_network INTEGER NOT NULL,
            requires_external_power INTEGER NOT NULL,
            protection INTEGER NOT NULL DEFAULT 0,
            title TEXT,
            subtitle TEXT,
            strategy INTEGER,
            resources INTEGER,
            submitter INTEGER REFERENCES plugin (id),
            submitted_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            not_before INTEGER,
            runs_alone INTEGER NOT NULL,
            was_interrupted INTEGER NOT NULL,
            held_softly_since INTEGER,
            payload BLOB NOT NULL,
            UNIQUE (plugin, identifier)
        ) STRICT;

        INSERT INTO new_request (
            number, plugin, identifier, kind, earliest_begin, requires_network, requires_external_power, submitter,
            submitted_at, attempts, not_before, runs_alone, was_interrupted, payload
        )
        SELECT number, plugin, identifier, kind, earliest_begin, requires_network, requires_external_power, submitter,
            submitted_at, attempts, not_before, runs_alone, was_interrupted, payload
        FROM request;
        DROP TABLE request;
        ALTER TABLE new_request RENAME TO request;

        ALTER TABLE task ADD COLUMN protection INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE task ADD COLUMN title TEXT;
        ALTER TABLE task ADD COLUMN subtitle TEXT;
        ALTER TABLE task ADD COLUMN strategy INTEGER;
        ALTER TABLE task ADD COLUMN resources INTEGER;
        ALTER TABLE task ADD COLUMN held_softly_since INTEGER;

        CREATE TABLE wait (
            number INTEGER PRIMARY KEY,
            submission INTEGER NOT NULL,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            label TEXT NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER
        ) STRICT;

        CREATE UNIQUE INDEX wait_open ON wait (submission, reason) WHERE until IS NULL;
        CREATE INDEX wait_by_label ON wait (label, submission);
        CREATE INDEX wait_by_end ON wait (until) WHERE until IS NOT NULL;

        CREATE TABLE fetch_schedule (
            plugin INTEGER PRIMARY KEY REFERENCES plugin (id),
            interval_ns INTEGER NOT NULL,
            last INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE occasion (
            identifier TEXT PRIMARY KEY,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}

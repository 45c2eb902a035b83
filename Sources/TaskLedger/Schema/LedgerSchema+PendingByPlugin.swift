// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension LedgerSchema {
    /// The fourth migration. It stores pending work by plugin, so that a start reads the rows of one plugin only, and
    /// moves payloads to their own table. SQLite cannot change a primary key: the three tables of work are created
    /// anew.
    ///
    /// The counters become one row, which every group of commits changes. The number of groups shows whether a
    /// write-ahead log belongs to its ledger.
    ///
    /// Waits now belong to classes of work. The waits of single submissions are deleted, because they need not apply to
    /// the rest of their class.
    static let fourth = """
        CREATE TABLE new_counter (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            commits INTEGER NOT NULL,
            submission INTEGER NOT NULL,
            launch INTEGER NOT NULL
        ) STRICT;

        INSERT INTO new_counter SELECT
            1, 0, (SELECT last FROM counter WHERE name = 'submission'), (SELECT last FROM counter WHERE name = 'launch');
        DROP TABLE counter;
        ALTER TABLE new_counter RENAME TO counter;

        CREATE TABLE payload (
            submission INTEGER PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT;

        INSERT INTO payload SELECT number, payload FROM request WHERE length(payload) > 0;
        INSERT INTO payload SELECT number, payload FROM event WHERE length(payload) > 0;
        INSERT INTO payload SELECT submission, payload FROM task WHERE is_over = 0 AND length(payload) > 0;

        CREATE TABLE new_request (
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            identifier TEXT NOT NULL,
            number INTEGER NOT NULL,
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
            host_losses INTEGER NOT NULL DEFAULT 0,
            deferred_since INTEGER,
            payload_size INTEGER NOT NULL,
            PRIMARY KEY (plugin, identifier)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO new_request (
            plugin, identifier, number, kind, earliest_begin, requires_network, requires_external_power, protection,
            title, subtitle, strategy, resources, submitter, submitted_at, attempts, not_before, runs_alone,
            was_interrupted, deferred_since, payload_size
        )
        SELECT plugin, identifier, number, kind, earliest_begin, requires_network, requires_external_power, protection,
            title, subtitle, strategy, resources, submitter, submitted_at, attempts, not_before, runs_alone,
            was_interrupted, held_softly_since, length(payload)
        FROM request ORDER BY plugin, identifier;
        DROP TABLE request;
        ALTER TABLE new_request RENAME TO request;
        CREATE UNIQUE INDEX request_by_number ON request (number);

        CREATE TABLE new_event (
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            number INTEGER NOT NULL,
            type INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            not_before INTEGER,
            runs_alone INTEGER NOT NULL,
            was_interrupted INTEGER NOT NULL,
            host_losses INTEGER NOT NULL DEFAULT 0,
            payload_size INTEGER NOT NULL,
            PRIMARY KEY (plugin, number)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO new_event (
            plugin, number, type, created_at, attempts, not_before, runs_alone, was_interrupted, payload_size
        )
        SELECT plugin, number, type, created_at, attempts, not_before, runs_alone, was_interrupted, length(payload)
        FROM event;
        DROP TABLE event;
        ALTER TABLE new_event RENAME TO event;
        CREATE UNIQUE INDEX event_by_number ON event (number);

        CREATE TABLE new_task (
            launch INTEGER NOT NULL REFERENCES launch (number) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            submission INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            label TEXT NOT NULL,
            event_type INTEGER,
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
            host_losses INTEGER NOT NULL DEFAULT 0,
            deferred_since INTEGER,
            is_kept_from_returning INTEGER NOT NULL DEFAULT 0,
            is_over INTEGER NOT NULL DEFAULT 0,
            outcome TEXT,
            payload_size INTEGER NOT NULL,
            PRIMARY KEY (launch, position)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO new_task (
            launch, position, submission, kind, label, event_type, earliest_begin, requires_network,
            requires_external_power, protection, title, subtitle, strategy, resources, submitter, submitted_at, attempts,
            not_before, runs_alone, was_interrupted, deferred_since, is_kept_from_returning, is_over, outcome, payload_size
        )
        SELECT launch, position, submission, kind, label, event_type, earliest_begin, requires_network,
            requires_external_power, protection, title, subtitle, strategy, resources, submitter, submitted_at, attempts,
            not_before, runs_alone, was_interrupted, held_softly_since, is_kept_from_returning, is_over, outcome,
            iif(is_over, 0, ifnull(length(payload), 0))
        FROM task ORDER BY launch, position;
        DROP TABLE task;
        ALTER TABLE new_task RENAME TO task;

        DROP TABLE wait;
        CREATE TABLE wait (
            number INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            class INTEGER NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER
        ) STRICT;

        CREATE UNIQUE INDEX wait_open ON wait (plugin, class, reason) WHERE until IS NULL;
        CREATE INDEX wait_by_class ON wait (plugin, class, until, since) WHERE until IS NOT NULL;
        CREATE INDEX wait_by_end ON wait (until) WHERE until IS NOT NULL;

        CREATE TABLE deferral (
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            class INTEGER NOT NULL,
            position INTEGER NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER,
            PRIMARY KEY (plugin, class, position)
        ) STRICT, WITHOUT ROWID;
        """
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension LedgerSchema {
    /// The seventh migration, after which a journal entry can be about the host and have no plugin. SQLite cannot drop
    /// a constraint from a column, so the journal moves to a new table. The last number moves with it, because numbers
    /// of pruned entries are never reused.
    static let seventh = """
        CREATE TABLE new_journal (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            plugin INTEGER REFERENCES plugin (id),
            launch INTEGER,
            label TEXT,
            submission INTEGER,
            blame TEXT NOT NULL,
            message TEXT NOT NULL,
            successor INTEGER,
            count INTEGER,
            user_id INTEGER,
            user_process INTEGER,
            user_command TEXT
        ) STRICT;

        INSERT INTO new_journal SELECT
            number, at, event, plugin, launch, label, submission, blame, message, successor, count, user_id,
            user_process, user_command
        FROM journal ORDER BY number;
        DELETE FROM sqlite_sequence WHERE name = 'new_journal';
        INSERT INTO sqlite_sequence (name, seq) SELECT 'new_journal', seq FROM sqlite_sequence WHERE name = 'journal';
        DROP TABLE journal;
        ALTER TABLE new_journal RENAME TO journal;

        CREATE INDEX journal_by_launch ON journal (launch) WHERE launch IS NOT NULL;
        CREATE INDEX journal_by_label ON journal (label) WHERE label IS NOT NULL;
        CREATE INDEX journal_by_plugin ON journal (plugin);
        CREATE INDEX journal_by_event ON journal (event);
        CREATE INDEX journal_by_blame ON journal (blame);
        CREATE INDEX journal_by_time ON journal (at);
        """
}

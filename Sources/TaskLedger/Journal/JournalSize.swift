// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

// The size of the journal. The counters have the sum of the sizes of all entries, which triggers keep: to read it costs
// the same for a journal of any length.
extension Ledger {
    /// Deletes the oldest entries of a journal above its capacity, at most `limit` of them, because commits are blocked
    /// meanwhile. Each new entry does the same; this finishes it after the capacity was reduced. Returns the number of
    /// deleted entries.
    package func trimJournal(atMost limit: Int = 10_000) throws(LedgerError) -> Int {
        do {
            return try database.write { try $0.trimJournal(to: journalCapacity, atMost: limit) }
        } catch {
            throw LedgerError(error, while: "trimming the journal", in: place)
        }
    }
}

extension Database {
    /// Deletes the oldest entries of a journal that is larger than `capacity` bytes, at most `limit` of them. Returns
    /// their number.
    func trimJournal(to capacity: Int64, atMost limit: Int) throws -> Int {
        let excess = try Int64.fetchOne(cachedStatement(sql: JournalSize.excess), arguments: [capacity]) ?? 0
        if excess <= 0 { return 0 }
        try run(JournalSize.trim, [limit, excess])
        return changesCount
    }
}

enum JournalSize {
    static let excess = "SELECT journal_bytes - ? FROM counter"

    /// Deletes entries from the oldest one on, until the deleted bytes are enough.
    static let trim = """
        DELETE FROM journal WHERE number IN (
            SELECT number FROM (
                SELECT number, sum(size) OVER (ORDER BY number) - size AS deleted
                FROM (SELECT number, size FROM journal ORDER BY number LIMIT ?)
            ) WHERE deleted < ?
        )
        """
}

extension LedgerSchema {
    /// A migration: the size of each journal entry, and the sum of all sizes. The size is an estimate of the
    /// space on the disk, with the indexes, which repeat three of the texts.
    static let journalSize = """
        ALTER TABLE journal ADD COLUMN size INTEGER GENERATED ALWAYS AS (
            128 + 2 * length(CAST(event AS BLOB)) + 2 * length(CAST(blame AS BLOB))
            + 2 * coalesce(length(CAST(label AS BLOB)), 0) + length(CAST(message AS BLOB))
            + coalesce(length(CAST(user_command AS BLOB)), 0)
        ) VIRTUAL;
        ALTER TABLE counter ADD COLUMN journal_bytes INTEGER NOT NULL DEFAULT 0;
        UPDATE counter SET journal_bytes = (SELECT coalesce(sum(size), 0) FROM journal);
        CREATE TRIGGER journal_grows AFTER INSERT ON journal BEGIN
            UPDATE counter SET journal_bytes = journal_bytes + NEW.size;
        END;
        CREATE TRIGGER journal_shrinks AFTER DELETE ON journal BEGIN
            UPDATE counter SET journal_bytes = journal_bytes - OLD.size;
        END;
        """
}

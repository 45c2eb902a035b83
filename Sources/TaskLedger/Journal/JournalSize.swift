// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

// The size of the journal. The counters have the sum of the sizes of all entries, which triggers keep: to read it costs
// the same for a journal of any length.
extension Ledger {
    /// Deletes the oldest entries of a journal above its capacity, at most `limit` of them, because commits are blocked
    /// meanwhile. Each new entry does the same; this finishes it after the capacity was reduced.
    package func trimJournal(atMost limit: Int = 10_000) throws(LedgerError) -> TrimmedEntries {
        do {
            return try database.write { try $0.trimJournal(to: journalCapacity, atMost: limit) }
        } catch {
            throw LedgerError(error, while: "trimming the journal", in: place)
        }
    }
}

/// The entries that a journal above its capacity lost.
package struct TrimmedEntries: Hashable, Sendable {
    package static let none = TrimmedEntries(count: 0, losesClaims: false)

    package let count: Int
    /// Whether entries with a claim are lost that a feeder has not acknowledged, and the journal has no entry about such
    /// a loss since the last acknowledged entry.
    package let losesClaims: Bool
}

extension JournalEntry {
    /// The entry about lost entries with a claim.
    package static func outcomesLost(at now: WallTime) -> JournalEntry {
        JournalEntry(
            at: now,
            event: .outcomesLost,
            plugin: nil,
            blame: .host,
            message: "the journal reached its size and lost entries with a claim that no feeder has reported; the fleet"
                + " may run their items again; restore the contact of the feeder, or raise journal-size in the host's"
                + " configuration and restart the host"
        )
    }
}

extension Database {
    /// Deletes the oldest entries of a journal that is larger than `capacity` bytes, at most `limit` of them.
    func trimJournal(to capacity: Int64, atMost limit: Int) throws -> TrimmedEntries {
        let excess = try Int64.fetchOne(cachedStatement(sql: JournalSize.excess), arguments: [capacity]) ?? 0
        if excess <= 0 { return .none }
        // The numbers of deleted entries with a claim, and 0 for each other one.
        let deleted = try Int64.fetchAll(cachedStatement(sql: JournalSize.trim), arguments: [limit, excess])
        return TrimmedEntries(count: deleted.count, losesClaims: try isNewLoss(of: deleted.max() ?? 0))
    }

    /// Whether a feeder has not acknowledged the entry with a claim, and no entry about a loss follows the last
    /// acknowledged one.
    private func isNewLoss(of number: Int64) throws -> Bool {
        if number == 0 { return false }
        let acknowledged = try acknowledgedEntry()
        guard number > acknowledged else { return false }
        let event = JournalEntry.Event.outcomesLost.name
        return try Int64.fetchOne(
            cachedStatement(sql: JournalSize.loss),
            arguments: [event, acknowledged]
        ) == nil
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
        ) RETURNING iif(claim_item IS NULL, 0, number)
        """

    static let loss = "SELECT number FROM journal WHERE event = ? AND number > ? LIMIT 1"
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

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// Counts of the rows that one call of `prune` deleted. A count equal to the call's limit means that more old rows may
/// remain.
package struct PrunedRows: Hashable, Sendable {
    package let journal: Int
    package let launches: Int
    package let waits: Int
    /// Number of deleted deferral periods of classes without pending work. The limit of the call does not apply to it.
    package let deferrals: Int

    /// The largest of the counts to which the limit applies.
    package var most: Int { max(journal, launches, waits) }
}

extension Ledger {
    /// Deletes old history: journal entries that were written before `journalLimit`, waits that ended before
    /// `journalLimit`, and launches that ended before `launchLimit`, with their tasks. Of each of these three, one call
    /// deletes at most `limit` rows, the oldest first, because commits are blocked meanwhile.
    ///
    /// An entry with a claim stays, at any age, until every feeder has acknowledged it.
    ///
    /// Also deletes the deferral periods of all classes without pending work, whatever their age and number. Pending
    /// work, running work, open waits, and the deferral periods of classes with pending work are never deleted.
    package func prune(
        journalOlderThan journalLimit: WallTime,
        launchesOlderThan launchLimit: WallTime,
        atMost limit: Int = 10_000
    ) throws(LedgerError) -> PrunedRows {
        do {
            return try database.write { database in
                func delete(_ sql: String, _ arguments: StatementArguments) throws -> Int {
                    try database.run(sql, arguments + [limit])
                    return database.changesCount
                }
                let acknowledged = try database.acknowledgedEntry()
                return PrunedRows(
                    journal: try delete(Prune.journal, [journalLimit.nanoseconds, acknowledged]),
                    launches: try delete(Prune.launches, [launchLimit.nanoseconds]),
                    waits: try delete(Prune.waits, [journalLimit.nanoseconds]),
                    deferrals: try database.removeVainDeferrals()
                )
            }
        } catch {
            throw LedgerError(error, while: "pruning", in: place)
        }
    }

    /// Deletes the transfers that ended before `limit`, at most `count` of them, the oldest first, and returns their
    /// number. A transfer whose plugin has not received the event about the end of its session stays, and so does the
    /// file for the function of a pending or running task.
    package func pruneTransfers(endedBefore limit: WallTime, atMost count: Int) throws(LedgerError) -> Int {
        do {
            return try database.write { database in
                try database.run(Prune.transfers, [limit.nanoseconds, count])
                return database.changesCount
            }
        } catch {
            throw LedgerError(error, while: "pruning transfers", in: place)
        }
    }
}

/// The SQL statements that delete old rows. Each statement reads an index on time from its oldest entry.
enum Prune {
    static let journal = """
        DELETE FROM journal WHERE number IN (
            SELECT number FROM journal WHERE at < ? AND (claim_item IS NULL OR number <= ?) ORDER BY at LIMIT ?
        )
        """

    static let launches = """
        DELETE FROM launch WHERE number IN (SELECT number FROM launch WHERE ended_at < ? ORDER BY ended_at LIMIT ?)
        """

    static let transfers = """
        DELETE FROM transfer WHERE number IN (
            SELECT number FROM transfer
            WHERE ended_at < ? AND NOT EXISTS (
                SELECT 1 FROM event JOIN payload ON payload.submission = event.number
                WHERE event.plugin = transfer.plugin AND event.type = \(EventType.transfersFinished.rawValue)
                    AND CAST(payload.bytes AS TEXT) = transfer.session
            ) AND NOT \(Transfers.isAwaited) AND NOT \(Transfers.isRead)
            ORDER BY ended_at LIMIT ?
        )
        """

    static let waits = """
        DELETE FROM wait WHERE number IN (SELECT number FROM wait WHERE until < ? ORDER BY until LIMIT ?)
        """
}

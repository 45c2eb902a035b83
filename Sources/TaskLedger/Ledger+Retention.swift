// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// How many rows one pruning took away. A full measure means that there may be more.
package struct PrunedRows: Hashable, Sendable {
    package let journal: Int
    package let launches: Int
}

extension Ledger {
    /// Deletes the oldest journal entries and ended launches, at most `limit` of each: commits wait meanwhile.
    ///
    /// What is pending or running never goes. Entries are taken from the oldest number on and up to the first that is
    /// young enough, so that nothing is searched: after a step of the clock some may stay longer.
    package func prune(
        journalOlderThan journalLimit: WallTime,
        launchesOlderThan launchLimit: WallTime,
        atMost limit: Int = 10_000
    ) throws(LedgerError) -> PrunedRows {
        do {
            return try database.write { database in
                try database.run(pruneJournal, [journalLimit.nanoseconds, limit])
                let journal = database.changesCount
                try database.run(pruneLaunches, [launchLimit.nanoseconds, launchLimit.nanoseconds, limit])
                return PrunedRows(journal: journal, launches: database.changesCount)
            }
        } catch {
            throw LedgerError(error, while: "pruning", in: place)
        }
    }
}

private let pruneJournal = """
    DELETE FROM journal WHERE number IN (
        SELECT number FROM journal
        WHERE number < ifnull(
            (SELECT number FROM journal WHERE at >= ? ORDER BY number LIMIT 1), 9223372036854775807
        )
        ORDER BY number LIMIT ?
    )
    """

private let pruneLaunches = """
    DELETE FROM launch WHERE number IN (
        SELECT number FROM launch
        WHERE number < ifnull(
            (SELECT number FROM launch WHERE started_at >= ? ORDER BY number LIMIT 1), 9223372036854775807
        )
        AND ended_at < ?
        ORDER BY number LIMIT ?
    )
    """

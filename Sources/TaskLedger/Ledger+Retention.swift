// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// How many rows one pruning took away. A full measure means that there may be more.
package struct PrunedRows: Hashable, Sendable {
    package let journal: Int
    package let launches: Int
    package let waits: Int
    /// Deferral periods of classes without pending work, which have no measure.
    package let deferrals: Int

    /// What to compare with the measure.
    package var most: Int { max(journal, launches, waits) }
}

extension Ledger {
    /// Deletes the oldest journal entries, ended launches and waits, at most `limit` of each: commits wait meanwhile.
    ///
    /// Pending and running work is never deleted, nor are open waits, nor the deferral periods of classes with pending
    /// work, whatever their age. Waits are kept as long as the journal.
    package func prune(
        journalOlderThan journalLimit: WallTime,
        launchesOlderThan launchLimit: WallTime,
        atMost limit: Int = 10_000
    ) throws(LedgerError) -> PrunedRows {
        do {
            return try database.write { database in
                func delete(_ sql: String, olderThan time: WallTime) throws -> Int {
                    try database.run(sql, [time.nanoseconds, limit])
                    return database.changesCount
                }
                return PrunedRows(
                    journal: try delete(Prune.journal, olderThan: journalLimit),
                    launches: try delete(Prune.launches, olderThan: launchLimit),
                    waits: try delete(Prune.waits, olderThan: journalLimit),
                    deferrals: try database.removeVainDeferrals()
                )
            }
        } catch {
            throw LedgerError(error, while: "pruning", in: place)
        }
    }
}

/// Each begins at the old end of an index on time.
enum Prune {
    static let journal = """
        DELETE FROM journal WHERE number IN (SELECT number FROM journal WHERE at < ? ORDER BY at LIMIT ?)
        """

    static let launches = """
        DELETE FROM launch WHERE number IN (SELECT number FROM launch WHERE ended_at < ? ORDER BY ended_at LIMIT ?)
        """

    static let waits = """
        DELETE FROM wait WHERE number IN (SELECT number FROM wait WHERE until < ? ORDER BY until LIMIT ?)
        """
}

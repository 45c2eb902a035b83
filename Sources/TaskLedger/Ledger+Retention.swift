// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// The numbers of rows that one call of `prune` deleted. A number equal to the limit means that more may remain.
package struct PrunedRows: Hashable, Sendable {
    package let journal: Int
    package let launches: Int
    package let waits: Int
    /// Deferral periods of classes without pending work; the limit does not apply to them.
    package let deferrals: Int

    /// The largest of the numbers to which the limit applies.
    package var most: Int { max(journal, launches, waits) }
}

extension Ledger {
    /// Deletes the oldest journal entries, ended launches and waits. Each number is limited by `limit`, because commits
    /// are blocked meanwhile.
    ///
    /// Pending work, running work and open waits are never deleted, nor are the deferral periods of classes with
    /// pending work. Waits are kept for as long as the journal.
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

/// The SQL statements of pruning. Each one starts at the old end of an index on time.
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

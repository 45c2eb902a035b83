// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import ServiceLifecycle
import TaskLedger
import TaskModel

/// Removes old data from the state directory. At start it deletes containers whose purge a crash or stop interrupted.
/// Once a day it deletes ended launches, ended waits, journal entries and logs older than their retention. Then it also
/// deletes the oldest entries of a journal above its capacity. It removes no pending or running work.
struct StateCare: Service {
    let state: StateDirectory
    /// Paths of the containers that previous host processes discarded but did not delete.
    let discarded: [String]
    let ledger: Ledger
    let threads: DiskThreads
    let logs: LaunchLogs
    let retention: Duration
    /// Time after the start during which the wall clock is not trusted, so nothing is pruned: pruning cannot be undone.
    let doubt: Duration
    let now: @Sendable () -> WallTime
    let clock: any Clock<Duration>
    let log: Logger

    private static let interval: Duration = .seconds(24 * 60 * 60)
    /// Maximum number of journal entries, of launches and of waits that one transaction deletes: the limit applies to
    /// each of the three. It is small because commits wait for the transaction.
    private static let step = 1_000

    func run() async throws {
        try await runUntilShutdown {
            try await deleteDiscarded()
            try await clock.sleep(for: doubt)
            while true {
                try await threads.run { prune() }
                await logs.prune()
                try await clock.sleep(for: Self.interval)
            }
        }
    }

    private func deleteDiscarded() async throws {
        for container in discarded {
            do {
                try await state.delete(container, on: threads)
                log.info("purged container deleted", metadata: ["file": "\(container)"])
            } catch let error as HostError {
                log.warning("\(error.message)")
            }
        }
    }

    private func prune() {
        let oldest = now() + (.zero - retention)
        do {
            while true {
                let pruned = try ledger.prune(journalOlderThan: oldest, launchesOlderThan: oldest, atMost: Self.step)
                if pruned.most < Self.step { break }
            }
            while try ledger.trimJournal(atMost: Self.step) == Self.step {}
        } catch {
            log.error("old journal entries and ended launches not deleted: \(error)")
        }
    }
}

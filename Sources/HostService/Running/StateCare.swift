// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import ServiceLifecycle
import TaskLedger
import TaskModel

/// Removes old data from the state directory. At start it deletes containers whose purge a crash or stop interrupted.
/// Once a day it deletes ended launches, ended waits, journal entries, logs and results of transfers older than their
/// retention, and the oldest entries of a journal above its capacity. Then it deletes the files of transfers that no
/// record names. It removes no pending or running work.
struct StateCare: Service {
    let state: StateDirectory
    /// Paths of the containers that previous host processes discarded but did not delete.
    let discarded: [String]
    let ledger: Ledger
    let threads: DiskThreads
    let logs: LaunchLogs
    let retention: Duration
    let transferRetention: Duration
    /// Time after the start during which the wall clock is not trusted, so nothing is pruned: pruning cannot be undone.
    let doubt: Duration
    let now: @Sendable () -> WallTime
    let clock: any Clock<Duration>
    let log: Logger

    private static let interval: Duration = .seconds(24 * 60 * 60)
    /// Maximum number of journal entries, of launches, of waits and of transfers that one transaction deletes: the limit
    /// applies to each of the four. It is small because commits wait for the transaction.
    private static let step = 1_000

    func run() async throws {
        try await runUntilShutdown {
            try await deleteDiscarded()
            try await clock.sleep(for: doubt)
            while true {
                if try await threads.run({ prune() }) { await noteLostOutcomes() }
                try await sweepStaging()
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

    /// Returns whether entries with a claim were lost that no feeder has reported.
    private func prune() -> Bool {
        var losesClaims = false
        let oldest = now() + (.zero - retention)
        do {
            while true {
                let pruned = try ledger.prune(journalOlderThan: oldest, launchesOlderThan: oldest, atMost: Self.step)
                if pruned.most < Self.step { break }
            }
            while true {
                let trimmed = try ledger.trimJournal(atMost: Self.step)
                losesClaims = losesClaims || trimmed.losesClaims
                if trimmed.count < Self.step { break }
            }
            try pruneTransfers()
        } catch {
            log.error("old journal entries, ended launches and transfers not deleted: \(error)")
        }
        return losesClaims
    }

    private func noteLostOutcomes() async {
        do throws(LedgerError) {
            try await ledger.commitAndWait([.journal(.outcomesLost(at: now()))])
        } catch {
            log.error("the loss of journal entries with a claim not journaled: \(error)")
        }
    }

    private func pruneTransfers() throws(LedgerError) {
        let oldest = now() + (.zero - transferRetention)
        var total = 0
        while true {
            let pruned = try ledger.pruneTransfers(endedBefore: oldest, atMost: Self.step)
            total += pruned
            if pruned < Self.step { break }
        }
        if total > 0 { log.info("ended transfers deleted after transfers.retention", metadata: ["count": "\(total)"]) }
    }

    /// Deletes the files of transfers that no record names, in all containers: those of pruned transfers, and those that
    /// a killed host left. One container at a time, because other work waits for the same threads.
    private func sweepStaging() async throws {
        for name in state.containers() {
            guard let plugin = PluginIdentifier(name) else { continue }
            try await threads.run {
                do throws(LedgerError) {
                    try state.sweepStaging(of: plugin, by: ledger)
                } catch {
                    log.warning("files of transfers not examined: \(error)", metadata: ["plugin": "\(plugin)"])
                }
            }
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import ServiceLifecycle
import TaskLedger
import TaskModel

/// Clears the state folder of what nobody keeps: at the start containers whose purge was cut short, once a day what is
/// older than the operator wants to remember. Never what is pending or runs.
struct StateCare: Service {
    let state: StateFolder
    /// Containers that were out of the way when the host started.
    let discarded: [String]
    let ledger: Ledger
    let threads: DiskThreads
    let retention: Duration
    /// How long the wall clock is not believed: what is forgotten does not come back.
    let doubt: Duration
    let now: @Sendable () -> WallTime
    let clock: any Clock<Duration>
    let log: Logger

    private static let interval: Duration = .seconds(24 * 60 * 60)
    /// Rows at a time, so that commits are not kept waiting.
    private static let step = 1_000

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await threads.run { deleteDiscarded() }
                try await clock.sleep(for: doubt)
                while true {
                    try await threads.run { prune() }
                    try await clock.sleep(for: Self.interval)
                }
            }
        } catch is CancellationError {
            // The host stops: the regular end.
        }
    }

    private func deleteDiscarded() {
        for container in discarded {
            do {
                try state.delete(container)
                log.info("purged container deleted", metadata: ["file": "\(container)"])
            } catch {
                log.warning("purged container kept", metadata: ["problem": "\(error.message)"])
            }
        }
    }

    private func prune() {
        let oldest = now() + (.zero - retention)
        do {
            while true {
                let pruned = try ledger.prune(journalOlderThan: oldest, launchesOlderThan: oldest, atMost: Self.step)
                if pruned.most < Self.step { return }
            }
        } catch {
            log.error("old entries not removed", metadata: ["problem": "\(error)"])
        }
    }
}

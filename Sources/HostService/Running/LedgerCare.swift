// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import ServiceLifecycle
import TaskLedger
import TaskModel

/// Forgets what is older than the operator wants to keep, once a day. Never what is pending or runs.
struct LedgerCare: Service {
    let ledger: Ledger
    let threads: DiskThreads
    let retention: Duration
    let now: @Sendable () -> WallTime
    let log: Logger

    private static let interval: Duration = .seconds(24 * 60 * 60)
    /// A machine that starts with a wrong clock has the right one by then: what it forgets does not come back.
    private static let firstWait: Duration = .seconds(10 * 60)
    /// Rows at a time, so that commits are not kept waiting.
    private static let step = 1_000

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await Task.sleep(for: Self.firstWait)
                while true {
                    try await threads.run { prune() }
                    try await Task.sleep(for: Self.interval)
                }
            }
        } catch is CancellationError {
            // The host stops: the regular end.
        }
    }

    private func prune() {
        let oldest = now() + (.zero - retention)
        do {
            while true {
                let pruned = try ledger.prune(journalOlderThan: oldest, launchesOlderThan: oldest, atMost: Self.step)
                if max(pruned.journal, pruned.launches) < Self.step { return }
            }
        } catch {
            log.error("old entries not removed", metadata: ["error": "\(error)"])
        }
    }
}

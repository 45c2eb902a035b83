// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskLedger
import TaskModel

/// Whether the ledger can commit, according to its newest commit.
final class LedgerHealth: Sendable {
    struct Failure: Hashable, Sendable {
        /// Time of the first failed commit after the last successful one.
        let since: WallTime
        /// Message of the newest failed commit.
        let message: String
    }

    private let state = Mutex<Failure?>(nil)

    /// The failure of the newest commit; nil when it succeeded, and before the first commit.
    var failure: Failure? { state.withLock { $0 } }

    /// Records the results of commits, in the order of writing.
    func note(_ reports: [CommitReport], at now: WallTime) {
        guard let newest = reports.last else { return }
        state.withLock { failure in
            switch newest.result {
            case .success: failure = nil
            case .failure(let error): failure = Failure(since: failure?.since ?? now, message: "\(error)")
            }
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// One ticket's changes on their way to the disk.
struct WaitingCommit: Sendable {
    enum Origin: Sendable {
        case shell(ticket: UInt64)
        case waiter(@Sendable (Result<Void, LedgerError>) -> Void)
    }

    let origin: Origin
    let changes: [LedgerChange]
}

/// The commits that wait for the next transaction, in the order of their arrival. Writes nothing itself.
final class CommitQueue: Sendable {
    enum Admission {
        case queued
        /// The writer sleeps: whoever gets this answer wakes it.
        case queuedFirst
        case closed
    }

    private struct State {
        var waiting: [WaitingCommit] = []
        var isWriterAwake = false
        var isClosed = false
    }

    private let state = Mutex(State())

    func add(_ commit: WaitingCommit) -> Admission {
        state.withLock { state in
            if state.isClosed { return .closed }
            state.waiting.append(commit)
            if state.isWriterAwake { return .queued }
            state.isWriterAwake = true
            return .queuedFirst
        }
    }

    /// Everything that waits now. What comes later waits for the next group.
    func takeGroup() -> [WaitingCommit] {
        state.withLock { state in
            let group = state.waiting
            state.waiting = []
            return group
        }
    }

    /// Whether the writer has to go on; otherwise the next arrival wakes it.
    func continues() -> Bool {
        state.withLock { state in
            state.isWriterAwake = !state.waiting.isEmpty
            return state.isWriterAwake
        }
    }

    /// From here on nothing is admitted; what waits already is still taken.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}

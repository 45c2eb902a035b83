// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The answer that a connection gives. The end of the connection ends the call of the host at once: a host that hangs may
/// never answer, and the next entry of a stream may be hours away.
final class PresentAnswer: Sendable {
    private struct State {
        var task: Task<Void, any Error>?
        var isConnectionClosed = false
    }

    private let state = Mutex(State())

    /// Runs the work for an answer until it ends, the connection closes or the calling Swift task is cancelled.
    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        let isClosed = state.withLock { state in
            state.task = task
            return state.isConnectionClosed
        }
        if isClosed { task.cancel() }
        defer { state.withLock { $0.task = nil } }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func connectionClosed() {
        let task = state.withLock { state in
            state.isConnectionClosed = true
            return state.task
        }
        task?.cancel()
    }
}

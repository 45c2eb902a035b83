// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The answer of the host that a connection passes on. The end of the connection ends the call of the host at once: the
/// next entry of a stream, which the browser would not accept, may be hours away.
final class PassedAnswer: Sendable {
    private struct State {
        var task: Task<Void, any Error>?
        var isConnectionClosed = false
    }

    private let state = Mutex(State())

    /// Runs the passing until it ends, the connection closes or the calling Swift task is cancelled.
    func run(_ pass: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await pass() }
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

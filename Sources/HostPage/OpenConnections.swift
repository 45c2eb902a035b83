// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The Swift tasks that serve connections. Each accepted connection has one at once, also while the server ends: NIO ends
/// the process for a connection that is never served.
final class OpenConnections: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastNumber = 0
        var isEnding = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    /// Starts to serve a connection; `serve` gets whether it exceeds the limit.
    func start(_ serve: @escaping @Sendable (_ isOneTooMany: Bool) async -> Void) {
        state.withLock { state in
            state.lastNumber += 1
            let (number, isOneTooMany) = (state.lastNumber, state.tasks.count >= limit)
            let task = Task {
                await serve(isOneTooMany)
                self.remove(number)
            }
            state.tasks[number] = task
            if state.isEnding { task.cancel() }
        }
    }

    /// Ends all connections, and returns after their end.
    func end() async {
        let tasks = state.withLock { state in
            state.isEnding = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func remove(_ number: Int) { state.withLock { _ = $0.tasks.removeValue(forKey: number) } }
}

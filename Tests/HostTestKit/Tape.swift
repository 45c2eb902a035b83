// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// What happened so far, in order, and a way to wait for what has not happened yet. Forgets nothing.
package final class Tape<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isFinished = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var elements: [Element] { state.withLock { $0.elements } }

    package func append(_ element: Element) {
        wake { $0.elements.append(element) }
    }

    /// Nothing follows.
    package func finish() {
        wake { $0.isFinished = true }
    }

    /// The first that fits, however long it takes; nil when nothing more can come, or nobody waits any more.
    ///
    /// - Parameter start: how many elements are not looked at.
    package func first(after start: Int = 0, where fits: (Element) -> Bool) async -> Element? {
        var seen = start
        while true {
            let (fresh, isFinished) = state.withLock { ($0.elements.dropFirst(seen), $0.isFinished) }
            if let found = fresh.first(where: fits) { return found }
            if isFinished || Task.isCancelled { return nil }
            seen += fresh.count
            await change(beyond: seen)
        }
    }

    private func change(beyond seen: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Asked under the lock that the cancellation takes as well: either it is seen here, or it wakes us.
                    if state.elements.count > seen || state.isFinished || Task.isCancelled { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake { _ in }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// An ordered record of all elements so far. Tests can wait for future elements.
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

    /// Marks the record as complete: no element follows.
    package func finish() {
        wake { $0.isFinished = true }
    }

    /// Waits for the first matching element, past or future, without a time limit. Nil if the record is complete or the
    /// task is cancelled.
    ///
    /// - Parameter start: the number of elements to skip.
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
                    // Checked under the lock that the cancellation takes too: it is either seen here or wakes this
                    // task.
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

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// A count of taken places with a limit.
final class Places: Sendable {
    private struct State {
        var taken = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let most: Int
    private let state = Mutex(State())

    init(_ most: Int) { self.most = most }

    /// Takes a place; false when all are taken.
    func take() -> Bool {
        state.withLock { state in
            if state.taken >= most { return false }
            state.taken += 1
            return true
        }
    }

    func release() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.taken -= 1
            if state.taken > 0 { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when no place is taken.
    func whenEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.taken == 0 { return true }
                state.waiting.append(continuation)
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import Synchronization

/// Orders pushes with a device token and changes of device tokens: a token is compared and its push is committed before
/// another call ends the token. So a push with an ended token is never accepted after the answer that ended it.
///
/// Pushes do not wait for each other. Calls are admitted in the order of their arrival, so that a sender without pauses
/// does not delay a rotation.
final class PushTokenGate: Sendable {
    private enum Entry {
        case push
        case change
    }

    private struct State {
        var pushes = 0
        var isChanging = false
        var waiting: Deque<(entry: Entry, continuation: CheckedContinuation<Void, Never>)> = []

        /// Admits an entry; false when it has to wait.
        mutating func admit(_ entry: Entry) -> Bool {
            switch entry {
            case .push:
                if isChanging { return false }
                pushes += 1
            case .change:
                if isChanging || pushes > 0 { return false }
                isChanging = true
            }
            return true
        }
    }

    private let state = Mutex(State())

    /// The number of calls that wait for others.
    var waitingCalls: Int { state.withLock { $0.waiting.count } }

    func pushing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await enter(.push)
        defer { leave { $0.pushes -= 1 } }
        return try await body()
    }

    func changing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await enter(.change)
        defer { leave { $0.isChanging = false } }
        return try await body()
    }

    private func enter(_ entry: Entry) async {
        await withCheckedContinuation { continuation in
            let isAdmitted = state.withLock { state in
                if state.waiting.isEmpty, state.admit(entry) { return true }
                state.waiting.append((entry, continuation))
                return false
            }
            if isAdmitted { continuation.resume() }
        }
    }

    private func leave(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, state.admit(next.entry) {
                state.waiting.removeFirst()
                admitted.append(next.continuation)
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }
}

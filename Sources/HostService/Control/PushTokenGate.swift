// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import Synchronization
import TaskModel

/// Orders pushes with a device token of a plugin and changes of this token: a token is compared and its push is
/// committed before another call ends the token. So a push with an ended token is never accepted after the answer that
/// ended it.
///
/// Pushes do not wait for each other, and no call waits for one about another plugin. Calls about a plugin are admitted
/// in the order of their arrival, so that a sender without pauses does not delay a rotation.
final class PushTokenGate: Sendable {
    private enum Entry {
        case push
        case change
    }

    private struct State {
        var pushes = 0
        var isChanging = false
        var waiting: Deque<(entry: Entry, continuation: CheckedContinuation<Void, Never>)> = []

        var isIdle: Bool { pushes == 0 && !isChanging && waiting.isEmpty }

        /// Admits an entry, or adds it to those that wait.
        ///
        /// - Returns: whether the entry is admitted.
        mutating func enter(_ entry: Entry, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
            if waiting.isEmpty, admit(entry) { return true }
            waiting.append((entry, continuation))
            return false
        }

        /// Admits the waiting entries that may follow, and returns their continuations.
        mutating func admitWaiting() -> [CheckedContinuation<Void, Never>] {
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = waiting.first, admit(next.entry) {
                waiting.removeFirst()
                admitted.append(next.continuation)
            }
            return admitted
        }

        /// Admits an entry; false when it has to wait.
        private mutating func admit(_ entry: Entry) -> Bool {
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

    /// The plugins with calls that are admitted or wait.
    private let states = Mutex<[PluginIdentifier: State]>([:])

    /// The number of calls that wait for others.
    var waitingCalls: Int { states.withLock { states in states.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Whether no call is admitted or waits.
    var isEmpty: Bool { states.withLock(\.isEmpty) }

    func pushing<Result>(to plugin: PluginIdentifier, _ body: () async throws -> Result) async rethrows -> Result {
        await enter(.push, of: plugin)
        defer { leave(plugin) { $0.pushes -= 1 } }
        return try await body()
    }

    func changing<Result>(of plugin: PluginIdentifier, _ body: () async throws -> Result) async rethrows -> Result {
        await enter(.change, of: plugin)
        defer { leave(plugin) { $0.isChanging = false } }
        return try await body()
    }

    private func enter(_ entry: Entry, of plugin: PluginIdentifier) async {
        await withCheckedContinuation { continuation in
            let isAdmitted = states.withLock { $0[plugin, default: State()].enter(entry, continuation) }
            if isAdmitted { continuation.resume() }
        }
    }

    private func leave(_ plugin: PluginIdentifier, _ change: (inout State) -> Void) {
        let admitted = states.withLock { states in
            var state = states[plugin] ?? State()
            change(&state)
            let admitted = state.admitWaiting()
            states[plugin] = state.isIdle ? nil : state
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }
}

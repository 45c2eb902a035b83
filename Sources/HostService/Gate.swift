// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// A gate that is opened once and stays open. Callers can wait until it is open. Safe to use from any thread.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once the gate is open; at once if it already is.
    ///
    /// - Throws: `CancellationError` when the calling Swift task is cancelled first.
    func pass() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return false }
                    state.waiting[number] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        if !isOpen { try Task.checkCancellation() }
    }

    /// Returns when the gate opens, when `limit` has passed, or when the calling Swift task is cancelled. Does not
    /// throw.
    func pass(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await self.pass() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}

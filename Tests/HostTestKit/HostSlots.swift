// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// A limit on the number of hosts and checkers that run at once, so that time limits are meaningful on a small machine.
package enum HostSlots {
    private struct State {
        var free = 3
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())

    package static func withSlot<Result>(_ body: () async throws -> Result) async throws -> Result {
        await take()
        defer { giveBack() }
        return try await body()
    }

    private static func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private static func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

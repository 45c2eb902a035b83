// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Synchronization
import TaskModel

/// Hands the inputs of every thread to the decision loop's one. Putting in never waits.
final class Mailbox: Sendable {
    private struct State {
        var queue = InputQueue()
        var isWaiting = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Any thread. An input that comes after `close` is abandoned.
    func put(_ input: DecisionLoop.Input) {
        let isClosed = state.withLock { state in
            if state.isClosed { return true }
            state.queue.append(input)
            wake(&state)
            return false
        }
        if isClosed { input.abandon() }
    }

    /// Whether the mailbox takes a further message of the launch now; any thread. After false it takes none until a
    /// delivery reports the launch as resumed.
    func hasCapacity(for launch: LaunchNumber) -> Bool {
        state.withLock { $0.isClosed || $0.queue.hasCapacity(for: launch) }
    }

    /// Waits for the next input; nil once the mailbox is closed. One thread.
    func take() -> InputQueue.Delivery? {
        while true {
            let (delivery, isClosed) = state.withLock { state in
                if state.isClosed { return (nil as InputQueue.Delivery?, true) }
                let delivery = state.queue.next()
                state.isWaiting = delivery == nil
                return (delivery, false)
            }
            if delivery != nil || isClosed { return delivery }
            wakeUp.wait()
        }
    }

    /// Abandons what was not taken, and whatever comes later. Any thread.
    func close() {
        let rest = state.withLock { state in
            state.isClosed = true
            wake(&state)
            return state.queue.removeAll()
        }
        for input in rest { input.abandon() }
    }

    private func wake(_ state: inout State) {
        guard state.isWaiting else { return }
        state.isWaiting = false
        wakeUp.signal()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Synchronization
import TaskModel

/// Passes the inputs of all threads to the thread of the decision loop. Adding an input never blocks.
final class Mailbox: Sendable {
    private struct State {
        var queue = InputQueue()
        var isWaiting = false
        var isClosed = false

        /// Whether the loop waits and has to be woken. The caller signals after it has released the lock, for which the
        /// woken thread would wait otherwise.
        mutating func endWaiting() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Adds an input; safe on any thread. Inputs after `close` are abandoned.
    func put(_ input: DecisionLoop.Input) { put(CollectionOfOne(input)) { $0.append($1) } }

    /// Adds the submissions of a batch. They keep their order; urgent inputs and the messages of launches are handled
    /// between them. Safe on any thread.
    func put(batch inputs: [DecisionLoop.Input]) { put(inputs) { $0.append(ofBatch: $1) } }

    private func put(
        _ inputs: some Collection<DecisionLoop.Input>,
        _ append: (inout InputQueue, DecisionLoop.Input) -> Void
    ) {
        let (isClosed, wakes) = state.withLock { state in
            if state.isClosed { return (true, false) }
            for input in inputs { append(&state.queue, input) }
            return (false, !inputs.isEmpty && state.endWaiting())
        }
        if wakes { wakeUp.signal() }
        if isClosed { for input in inputs { input.abandon() } }
    }

    /// Whether the mailbox accepts another message of the launch; safe on any thread. After false, messages of that
    /// launch are paused until a delivery reports it as resumed.
    func admitOrPause(_ launch: LaunchNumber) -> Bool {
        state.withLock { $0.isClosed || $0.queue.admitOrPause(launch) }
    }

    /// Blocks until there is an input, and returns it; nil once the mailbox is closed. Called by the loop's thread
    /// only.
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

    /// Abandons all inputs that were not taken, and all later ones. Safe on any thread.
    func close() {
        let (rest, wakes) = state.withLock { state in
            state.isClosed = true
            return (state.queue.removeAll(), state.endWaiting())
        }
        if wakes { wakeUp.signal() }
        for input in rest { input.abandon() }
    }
}

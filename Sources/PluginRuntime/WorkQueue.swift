// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A dedicated thread that runs work items one at a time, in the order of `add`.
final class WorkQueue: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let waiting = Monitor(State())

    /// Creates the queue and its thread; nil when no thread can be started.
    init?(named name: String) {
        let waiting = waiting
        let isStarted = WorkerThread.start(named: name) {
            while let work = Self.next(in: waiting) { work() }
        }
        if !isStarted { return nil }
    }

    func add(_ work: @escaping @Sendable () -> Void) {
        waiting.change { $0.work.append(work) }
    }

    /// Ends the thread after all work that was added before.
    func close() {
        waiting.change { $0.isClosed = true }
    }

    /// Blocks until there is work, and returns it; nil when the queue is closed and empty.
    private static func next(in waiting: Monitor<State>) -> (@Sendable () -> Void)? {
        waiting.wait { state -> (@Sendable () -> Void)?? in
            if !state.work.isEmpty { return .some(state.work.removeFirst()) }
            return state.isClosed ? .some(nil) : nil
        }
    }
}

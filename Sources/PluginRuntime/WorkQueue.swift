// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A thread of its own that does one piece of work after the other, in the order of `add`. Nothing else runs on it.
final class WorkQueue: Sendable {
    private let waiting = Monitor<[@Sendable () -> Void]>([])

    /// Nil when the system has no thread to give.
    init?(named name: String) {
        let waiting = waiting
        let isStarted = WorkerThread.start(named: name) {
            while true {
                let work = waiting.wait { $0.isEmpty ? nil : $0.removeFirst() }
                work()
            }
        }
        if !isStarted { return nil }
    }

    func add(_ work: @escaping @Sendable () -> Void) {
        waiting.change { $0.append(work) }
    }
}

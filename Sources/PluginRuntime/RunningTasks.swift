// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Synchronization
import TaskModel

/// Which thread runs which task's code, readable from a signal handler: a fixed table of atomics. Says nothing about
/// tasks that are open while no code of theirs runs.
// The table is allocated once and never freed; its slots change through atomics alone.
struct RunningTasks: @unchecked Sendable {
    private struct Slot: ~Copyable {
        /// `pthread_self`, 0 when free.
        let thread = Atomic<UInt>(0)
        let task = Atomic<UInt64>(0)
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let count: Int

    /// - Parameter capacity: how many calls can be told from one another; more go unnamed.
    init(capacity: Int) {
        slots = .allocate(capacity: capacity)
        count = capacity
        for index in 0..<capacity { (slots + index).initialize(to: Slot()) }
    }

    /// Marks the calling thread for `body`.
    func during(_ task: TaskID, _ body: () -> Void) {
        let thread = UInt(pthread_self())
        let free = (0..<count).first { index in
            slots[index].thread.compareExchange(expected: 0, desired: thread, ordering: .acquiringAndReleasing)
                .exchanged
        }
        if let free { slots[free].task.store(task.rawValue, ordering: .releasing) }
        body()
        if let free {
            slots[free].task.store(0, ordering: .releasing)
            slots[free].thread.store(0, ordering: .releasing)
        }
    }

    /// The calling thread's task, 0 for none. Async-signal-safe.
    func currentTask() -> UInt64 {
        let thread = UInt(pthread_self())
        var index = 0
        while index < count {
            if slots[index].thread.load(ordering: .acquiring) == thread {
                return slots[index].task.load(ordering: .acquiring)
            }
            index += 1
        }
        return 0
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Synchronization
import TaskModel

/// A fixed table of atomics that maps threads to the task whose code they run. A signal handler can read it. Open tasks
/// whose code is not running are not in it.
// Unchecked: the table is allocated once and never freed; its slots only change atomically.
struct RunningTasks: @unchecked Sendable {
    private struct Slot: ~Copyable {
        /// The thread as returned by `pthread_self`; 0 when the slot is free.
        let thread = Atomic<UInt>(0)
        let task = Atomic<UInt64>(0)
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let count: Int

    /// Creates an empty table.
    ///
    /// - Parameter capacity: maximum number of concurrent calls in the table; further calls are not recorded.
    init(capacity: Int) {
        slots = .allocate(capacity: capacity)
        count = capacity
        for index in 0..<capacity { (slots + index).initialize(to: Slot()) }
    }

    /// Records `task` as the task of the calling thread while `body` runs.
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

    /// Removes the calling thread from the table. Called when the thread ends while `during` runs its body: the system
    /// may give the number of this thread to a new thread.
    func forgetCurrentThread() {
        let thread = UInt(pthread_self())
        for index in 0..<count where slots[index].thread.load(ordering: .acquiring) == thread {
            slots[index].task.store(0, ordering: .releasing)
            slots[index].thread.store(0, ordering: .releasing)
        }
    }

    /// The task of the calling thread as a raw value; 0 for none. Async-signal-safe.
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

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Synchronization
package import TaskModel

/// Fast answers to the two calls that plugins make in loops: whether a task is expiring, and progress that replaces a
/// held report. The tables of the launch decide; a slot only repeats their last decision, so that these calls take no
/// lock that other calls hold.
///
/// Every answer other than the fast one comes from the tables: for unknown, expiring and completed tasks, after the end
/// of the launch, and for tasks beyond the slots.
// Unchecked: the slots keep their address until deinit, and everything in them is atomic or guarded by `isLocked`.
package final class TaskSlots: @unchecked Sendable {
    /// Number of slots. A batch is much smaller; only a launch that submits continued tasks to itself exceeds it.
    package static let count = 1_024

    private struct Slot: ~Copyable {
        /// Whether the task is delivered and neither expiring nor completed.
        let isOpen = Atomic(false)
        let isLocked = Atomic(false)
        /// Whether `ReportTable` holds back a progress report of the task. The slot then has the newest numbers of this
        /// report in `done` and `total`.
        var isHolding = false
        var (done, total): (Int64, Int64) = (0, 0)

        func lock() {
            while isLocked.exchange(true, ordering: .acquiring) { sched_yield() }
        }

        func unlock() { isLocked.store(false, ordering: .releasing) }
    }

    private let launch: UInt64
    private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: TaskSlots.count)

    package init(of launch: LaunchNumber) {
        // The identifier of a task with index -1, which no task has.
        self.launch = TaskID(launch: launch, index: -1).rawValue
        for index in 0..<Self.count { (slots + index).initialize(to: Slot()) }
    }

    deinit {
        slots.deinitialize(count: Self.count)
        slots.deallocate()
    }

    // MARK: Calls of the plugin

    /// Whether the task is known to be open and not expiring. False also for a task without a slot.
    package func isOpen(_ task: TaskID) -> Bool {
        guard let index = index(of: task) else { return false }
        return slots[index].isOpen.load(ordering: .acquiring)
    }

    /// Replaces the progress report that the slot of the task holds and that is not sent yet.
    ///
    /// - Returns: false when nothing was replaced: the caller then passes the progress to the tables of the launch.
    package func replace(_ task: TaskID, done: Int64, total: Int64) -> Bool {
        guard let index = index(of: task), TaskProgress(done: done, total: total) != nil,
            !slots[index].isLocked.exchange(true, ordering: .acquiring)
        else { return false }
        defer { slots[index].unlock() }
        guard slots[index].isHolding, slots[index].isOpen.load(ordering: .relaxed) else { return false }
        (slots[index].done, slots[index].total) = (done, total)
        return true
    }

    // MARK: Decisions of the tables, in their order

    /// Marks a delivered task as open.
    package func open(_ task: TaskID) {
        guard let index = index(of: task) else { return }
        slots[index].isOpen.store(true, ordering: .releasing)
    }

    /// Marks an expiring or completed task. Later calls about the task go to the tables; progress that its slot holds
    /// stays.
    package func close(_ task: TaskID) {
        guard let index = index(of: task) else { return }
        slots[index].lock()
        slots[index].isOpen.store(false, ordering: .releasing)
        slots[index].unlock()
    }

    package func closeAll() {
        for index in 0..<Self.count where slots[index].isOpen.load(ordering: .relaxed) {
            slots[index].lock()
            slots[index].isOpen.store(false, ordering: .releasing)
            slots[index].unlock()
        }
    }

    /// Stores a progress report that the table of reports now holds in the slot of its task, so that later calls can
    /// replace it there.
    ///
    /// - Returns: false for a task without a slot.
    package func hold(_ progress: TaskProgress, of task: TaskID) -> Bool {
        guard let index = index(of: task) else { return false }
        slots[index].lock()
        defer { slots[index].unlock() }
        (slots[index].done, slots[index].total) = (progress.done, progress.total)
        slots[index].isHolding = true
        return true
    }

    /// Returns the newest progress that the slot of the task holds, and empties the slot; nil when it holds none. Until
    /// the next `hold`, `replace` returns false for the task.
    package func take(_ task: TaskID) -> TaskProgress? {
        guard let index = index(of: task) else { return nil }
        slots[index].lock()
        defer { slots[index].unlock() }
        guard slots[index].isHolding else { return nil }
        slots[index].isHolding = false
        return TaskProgress(done: slots[index].done, total: slots[index].total)
    }

    private func index(of task: TaskID) -> Int? {
        let index = task.rawValue &- launch &- 1
        return index < UInt64(Self.count) ? Int(index) : nil
    }
}

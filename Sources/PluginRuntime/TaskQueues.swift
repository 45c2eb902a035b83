// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

/// The queues on which a launch's tasks begin: one for each identifier, and one for all events. Made before any plugin
/// code is mapped: a plugin that uses up the process's threads delays none of its tasks.
struct TaskQueues: Sendable {
    private let queues: [String: WorkQueue]
    private let spare: WorkQueue

    /// - Parameter spare: shared by the tasks for which the system had no thread even then.
    init(_ tasks: [RunnerPlan.Task], spare: WorkQueue) {
        var queues: [String: WorkQueue] = [:]
        for name in Set(tasks.map(Self.name)) { queues[name] = WorkQueue(named: name) }
        self.queues = queues
        self.spare = spare
    }

    func queue(for task: RunnerPlan.Task) -> WorkQueue { queues[Self.name(of: task)] ?? spare }

    private static func name(of task: RunnerPlan.Task) -> String {
        task.kind == .event ? "events" : task.identifier
    }
}

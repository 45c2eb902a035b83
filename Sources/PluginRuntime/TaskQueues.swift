// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Synchronization
import TaskModel

/// The queues on which a launch's tasks begin: one for each identifier, and one for all events. Queues of the batch are
/// created before any plugin code is mapped: a plugin that uses up the process's threads delays none of these tasks.
/// Queues of later tasks exist only while they have work, because a launch may submit any number of identifiers.
final class TaskQueues: Sendable {
    private struct Later {
        let queue: WorkQueue
        var calls: Int
    }

    private let queues: [String: WorkQueue]
    private let later = Mutex<[String: Later]>([:])
    private let spare: WorkQueue

    /// Creates the queues of the batch.
    ///
    /// - Parameter spare: queue shared by the tasks for which the system had no thread.
    init(_ tasks: [RunnerPlan.Task], spare: WorkQueue) {
        var queues: [String: WorkQueue] = [:]
        for name in Set(tasks.map(Self.name)) { queues[name] = WorkQueue(named: name) }
        self.queues = queues
        self.spare = spare
    }

    func add(_ task: RunnerPlan.Task, _ call: @escaping @Sendable () -> Void) {
        let name = Self.name(of: task)
        if let queue = queues[name] { return queue.add(call) }
        let isTaken = later.withLock { later in
            guard let queue = later[name]?.queue ?? WorkQueue(named: name) else { return false }
            later[name, default: Later(queue: queue, calls: 0)].calls += 1
            // Added under the lock: a closed queue accepts no work.
            queue.add {
                call()
                self.end(name)
            }
            return true
        }
        if !isTaken { spare.add(call) }
    }

    private func end(_ name: String) {
        later.withLock { later in
            later[name]?.calls -= 1
            guard let entry = later[name], entry.calls == 0 else { return }
            later[name] = nil
            entry.queue.close()
        }
    }

    private static func name(of task: RunnerPlan.Task) -> String {
        task.kind == .event ? "events" : task.identifier
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// The changed titles of running continued tasks (statement 79). A task with its submitted title has no entry, and the
/// entries of a launch are dropped when it ends. Safe on any thread.
final class TaskTitles: Sendable {
    struct Titles: Hashable, Sendable {
        let title: String
        let subtitle: String?
    }

    private struct State {
        /// The tasks of each launch that have an entry in `changed`.
        var tasks: [LaunchNumber: Set<TaskID>] = [:]
        var changed: [TaskID: Titles] = [:]
    }

    private let state = Mutex(State())

    /// The changed titles of a task; nil while the task has its submitted titles.
    subscript(task: TaskID) -> Titles? { state.withLock { $0.changed[task] } }

    func change(_ task: TaskID, of launch: LaunchNumber, to titles: Titles) {
        state.withLock { state in
            state.tasks[launch, default: []].insert(task)
            state.changed[task] = titles
        }
    }

    func ended(_ task: TaskID, of launch: LaunchNumber) {
        state.withLock { state in
            guard state.tasks[launch]?.remove(task) != nil else { return }
            state.changed[task] = nil
        }
    }

    func ended(_ launch: LaunchNumber) {
        state.withLock { state in
            for task in state.tasks.removeValue(forKey: launch) ?? [] { state.changed[task] = nil }
        }
    }
}

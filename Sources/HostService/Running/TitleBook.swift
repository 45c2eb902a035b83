// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// What people see of running continued tasks, as far as their plugins have changed it (statement 79). Any thread.
/// Nothing of it outlives its launch.
final class TitleBook: Sendable {
    struct Titles: Hashable, Sendable {
        let title: String
        let subtitle: String?
    }

    private struct State {
        /// The continued tasks of each launch: no other has titles, whatever its runner says.
        var tasks: [LaunchNumber: Set<TaskID>] = [:]
        var changed: [TaskID: Titles] = [:]
    }

    private let state = Mutex(State())

    /// Nil while the task is called as it was submitted.
    subscript(task: TaskID) -> Titles? { state.withLock { $0.changed[task] } }

    func began(_ tasks: [PlannedTask], in launch: LaunchNumber) {
        let continued = tasks.filter { $0.work.kind == .continued }.map(\.id)
        if !continued.isEmpty { state.withLock { $0.tasks[launch, default: []].formUnion(continued) } }
    }

    /// - Returns: false for what is no title of a continued task of that launch.
    func change(_ task: TaskID, of launch: LaunchNumber, to titles: Titles) -> Bool {
        let lengths = [titles.title.utf8.count, titles.subtitle?.utf8.count ?? 0]
        guard lengths[0] > 0, lengths.allSatisfy({ $0 <= ContinuedTerms.maximumTitle }) else { return false }
        return state.withLock { state in
            guard state.tasks[launch]?.contains(task) == true else { return false }
            state.changed[task] = titles
            return true
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

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The simulated process of one launch.
struct PlayedLaunch: Sendable {
    /// The outcome of a task's run, drawn when the task begins.
    enum Fate: Hashable, Sendable {
        case completes(CompletionOutcome)
        case crashes
        /// The task never completes, even after its expiration.
        case overruns
    }

    struct Task: Sendable {
        let work: PendingWork
        let fate: Fate
        let takes: Duration
        let began: MonotonicTime
        let obeys: Bool
        var isOver = false
    }

    let plan: LaunchPlan
    var tasks: [TaskID: Task] = [:]
}

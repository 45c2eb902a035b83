// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The process of one launch, as far as there is one in a replay.
struct PlayedLaunch: Sendable {
    /// What a task will come to, drawn when it begins.
    enum Fate: Hashable, Sendable {
        case completes(CompletionOutcome)
        case crashes
        /// Never completes, whatever it is told.
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

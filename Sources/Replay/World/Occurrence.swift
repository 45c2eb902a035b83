// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What a runner or the plugin inside it will do, at an instant of the budgets' clock: a machine that sleeps puts it off.
struct Occurrence: Comparable, Sendable {
    enum What: Sendable {
        case runnerReady
        case entryReturns
        case completes(TaskID, CompletionOutcome)
        case crashes(TaskID)
        case progresses(TaskID)
        case ends(ProcessTermination)
    }

    let at: MonotonicTime
    /// Of two at one instant, the one that was put on the list first comes first.
    let order: Int
    let launch: LaunchNumber
    let what: What

    static func < (left: Self, right: Self) -> Bool { (left.at, left.order) < (right.at, right.order) }
    static func == (left: Self, right: Self) -> Bool { left.at == right.at && left.order == right.order }
}

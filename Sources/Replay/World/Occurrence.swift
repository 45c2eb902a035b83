// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A future action of a simulated runner, of its plugin or of a sender of pushes, at a time of the monotonic clock. While
/// the machine is suspended, this clock stands still.
struct Occurrence: Comparable, Sendable {
    enum What: Sendable {
        case runnerReady
        case entryReturns
        case completes(TaskID, CompletionOutcome)
        case crashes(TaskID)
        case progresses(TaskID)
        case ends(ProcessTermination)
        case pushArrives(to: PluginIdentifier)
    }

    let at: MonotonicTime
    /// Position in the order of insertion, which orders occurrences at one instant.
    let order: Int
    /// The launch of the runner; nil for the arrival of a push.
    let launch: LaunchNumber?
    let what: What

    static func < (left: Self, right: Self) -> Bool { (left.at, left.order) < (right.at, right.order) }
    static func == (left: Self, right: Self) -> Bool { left.at == right.at && left.order == right.order }
}

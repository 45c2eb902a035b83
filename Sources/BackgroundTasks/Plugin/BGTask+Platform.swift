// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
public import Foundation

// What this platform knows of a task beside Apple's API.
extension BGTask {
    /// Why a task's time ended. Apple's API has no such thing, and its users miss it.
    @nonexhaustive
    public enum ExpirationReason: UInt32, Sendable {
        /// The launch's budget is used up.
        case budget = 1
        /// The task needs external power, and there is none any more.
        case externalPowerLost = 2
        /// The task needs a network, and there is none any more.
        case networkLost = 3
        /// The machine is in use again.
        case notIdle = 4
        /// A person stopped the task.
        case stoppedByPerson = 5
        /// A continued task got no further.
        case noProgress = 6
        /// Memory is short.
        case memoryPressure = 7
        /// The host stops; the task returns to pending.
        case hostShutdown = 8
        /// What the container lies on is locked.
        case containerLocked = 9
        /// What this release does not know.
        case unknown = 0xFFFF_FFFF
    }

    /// How a task went.
    public enum Outcome: Int32, Sendable {
        /// It did what it is for.
        case success = 0
        /// It did not. A report only: nothing is tried again unless it is submitted again.
        case failure = 1
        /// It went well, and there was nothing new.
        case noData = 2
    }

    /// Why the task is expiring, or was when it was completed; else nil.
    public var expirationReason: ExpirationReason? { knownExpirationReason }

    /// Whether the work must stop: the task is expiring, or completed. Cheap enough for every turn of a loop.
    public var isExpiring: Bool { delivered.isExpiring }

    /// What is left of the launch's budget, which all its tasks share; nil for a task without a fixed budget.
    public var timeRemaining: Duration? {
        if self is BGContinuedProcessingTask { return nil }
        return delivered.host.remaining.map { .nanoseconds(Int64(clamping: $0)) }
    }

    /// What the request carried; nil when it carried nothing.
    public var payload: Data? { delivered.payload }

    /// 1, and 1 more for each interruption that was charged to the task.
    public var attempt: Int { delivered.attempt }

    /// The number under which the journal knows the request.
    public var submissionNumber: UInt64 { delivered.submission }
}

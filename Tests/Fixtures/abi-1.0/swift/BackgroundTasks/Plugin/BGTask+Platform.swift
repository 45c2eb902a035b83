// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

// Properties of a task beyond Apple's API.
extension BGTask {
    /// Reason of a task's expiration. An addition of this platform to Apple's API.
    @nonexhaustive
    public enum ExpirationReason: UInt32, Sendable {
        /// The launch's budget is used up, or the launch used up the reserve of the host's disk.
        case budget = 1
        /// The task requires external power, which was lost.
        case externalPowerLost = 2
        /// The task requires a network, which was lost.
        case networkLost = 3
        /// The machine is no longer idle.
        case notIdle = 4
        /// A user stopped the task.
        case stoppedByUser = 5
        /// A continued task made no progress.
        case noProgress = 6
        /// The machine is low on memory.
        case memoryPressure = 7
        /// The host stops. A task that does not complete is requeued.
        case hostShutdown = 8
        /// The file system of the container is locked.
        case containerLocked = 9
        /// The host lost contact with its fleet, and another host may run the item.
        case leaseLost = 10
        /// A reason that this release does not define.
        case unknown = 0xFFFF_FFFF
    }

    /// Outcome of a task, as its handler reports it. An addition of this platform to Apple's API.
    public enum Outcome: Int32, Sendable {
        /// The task succeeded.
        case success = 1
        /// The task failed. The outcome is only recorded: the task runs again only if it is submitted again.
        case failure = 2
        /// The task succeeded without new data.
        case noData = 3
    }

    /// The reason why the task is expiring, or was expiring when it was completed; nil otherwise.
    public var expirationReason: ExpirationReason? { knownExpirationReason }

    /// Whether the work has to stop: the task is expiring or completed. Cheap enough for every iteration of a loop.
    public var isExpiring: Bool { delivered.isExpiring }

    /// Time left of the launch's budget, which all tasks of the launch share; nil for a task without a fixed budget.
    public var timeRemaining: Duration? {
        if self is BGContinuedProcessingTask { return nil }
        return delivered.host.remaining.map { .nanoseconds(Int64(clamping: $0)) }
    }

    /// Payload of the request; nil when the request has none.
    public var payload: Data? { delivered.payload }

    /// Number of the attempt: 1 plus the number of interruptions that were charged to the task.
    public var attempt: Int { delivered.attempt }

    /// Number of the task's submission, as in the journal.
    public var submissionNumber: UInt64 { delivered.submission }

    /// Number of the item, for a task from the queue of a fleet; nil for any other task.
    public var fleetItem: Int64? { delivered.fleetItem == 0 ? nil : delivered.fleetItem }

    /// Number of the claim with which this host took the item from the queue of a fleet; nil for any other task. Each
    /// claim has a higher fence than all earlier claims of the same item.
    ///
    /// A host that was suspended or cut off may run the task for a moment after another host has claimed the item. Send
    /// the fence with each write to a store that several hosts share, and let the store refuse a fence that is lower
    /// than the highest one it has seen for the item.
    public var fence: Int64? { delivered.fence == 0 ? nil : delivered.fence }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One task of a batch, as delivered to the plugin.
package struct PlannedTask: Hashable, Sendable {
    package let id: TaskID
    package let work: PendingWork
    /// The time since which nothing but other work and the host delayed the task: its own times had come, and no
    /// permission, condition or policy blocked it. Nil when it is not known.
    package let eligibleSince: WallTime?

    package init(id: TaskID, work: PendingWork, eligibleSince: WallTime? = nil) {
        self.id = id
        self.work = work
        self.eligibleSince = eligibleSince
    }
}

/// The process of a launch. Its start time and boot distinguish it from a later process with the same PID.
package struct RunnerProcess: Hashable, Sendable {
    package let pid: Int32
    /// Start time of the process in clock ticks since boot: field 22 of `/proc/PID/stat`.
    package let startTime: UInt64
    package let boot: BootID
    /// Path of the launch's control group directory; nil when the launch has no control group of its own.
    package let controlGroup: String?

    package init(pid: Int32, startTime: UInt64, boot: BootID, controlGroup: String?) {
        self.pid = pid
        self.startTime = startTime
        self.boot = boot
        self.controlGroup = controlGroup
    }
}

/// The committed data of a launch. Together with the payloads in the ledger, it is enough to run the launch, and to
/// find and kill its process after a crash of the host.
package struct LaunchPlan: Hashable, Sendable {
    package let number: LaunchNumber
    package let plugin: PluginEntry
    package let lane: Lane
    package let cause: LaunchCause
    package let tasks: [PlannedTask]
    package let budget: LaunchBudget
    package let process: RunnerProcess
    package let startedAt: WallTime
    /// What the host adds to the descriptions of the transfers of the launch. Set when the plan is sent, so that a
    /// transfer that waited has the present configuration; not stored.
    package var transferTerms: [SubmissionNumber: TransferTerms] = [:]
    /// The downloaded files of bound functions, as paths relative to the container, by task identifier and position of
    /// the argument. Set when the plan is sent; not stored.
    package var files: [TaskIdentifier: [Int: String]] = [:]

    package init(
        number: LaunchNumber,
        plugin: PluginEntry,
        lane: Lane,
        cause: LaunchCause,
        tasks: [PlannedTask],
        budget: LaunchBudget,
        process: RunnerProcess,
        startedAt: WallTime
    ) {
        self.number = number
        self.plugin = plugin
        self.lane = lane
        self.cause = cause
        self.tasks = tasks
        self.budget = budget
        self.process = process
        self.startedAt = startedAt
    }
}

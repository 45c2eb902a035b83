// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One task of a batch as its launch hands it to the plugin.
package struct PlannedTask: Hashable, Sendable {
    package let id: TaskID
    package let work: PendingWork

    package init(id: TaskID, work: PendingWork) {
        self.id = id
        self.work = work
    }
}

/// The process of a launch, named so that no other process can be taken for it after a restart.
package struct RunnerProcess: Hashable, Sendable {
    package let pid: Int32
    /// Field 22 of `/proc/PID/stat`: clock ticks since boot.
    package let startTime: UInt64
    package let boot: BootID
    /// The folder of its control group, if it has one of its own.
    package let controlGroup: String?

    package init(pid: Int32, startTime: UInt64, boot: BootID, controlGroup: String?) {
        self.pid = pid
        self.startTime = startTime
        self.boot = boot
        self.controlGroup = controlGroup
    }
}

/// Everything that a launch was committed with: enough to run it, and to find and end it after a crash of the host.
package struct LaunchPlan: Hashable, Sendable {
    package let number: LaunchNumber
    package let plugin: PluginEntry
    package let lane: Lane
    package let cause: LaunchCause
    package let tasks: [PlannedTask]
    package let budget: LaunchBudget
    package let process: RunnerProcess
    package let startedAt: WallTime

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

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One task of a batch, as the launch delivers it to the plugin.
package struct PlannedTask: Hashable, Sendable {
    package let id: TaskID
    package let work: PendingWork

    package init(id: TaskID, work: PendingWork) {
        self.id = id
        self.work = work
    }
}

/// The process of a launch. Start time and boot tell it apart from a later process with the same number.
package struct RunnerProcess: Hashable, Sendable {
    package let pid: Int32
    /// Field 22 of `/proc/PID/stat`: clock ticks since boot.
    package let startTime: UInt64
    package let boot: BootID
    /// Path of the directory of its control group; nil when it has none of its own.
    package let controlGroup: String?

    package init(pid: Int32, startTime: UInt64, boot: BootID, controlGroup: String?) {
        self.pid = pid
        self.startTime = startTime
        self.boot = boot
        self.controlGroup = controlGroup
    }
}

/// The committed data of a launch: enough to run it, and to find and kill its process after a crash of the host.
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

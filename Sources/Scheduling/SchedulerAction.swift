// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// An instruction to the decision loop. Actions are performed in the given order, and their results return as events.
package enum SchedulerAction: Hashable, Sendable {
    /// Commit all changes or none; reply with `committed` or `commitFailed`.
    case commit(Ticket, [LedgerChange])
    case answer(ReplyToken, Answer)
    /// Read the pending work of a plugin from the ledger; reply with `loaded` or `notLoaded`. The scheduler emits the
    /// reads that an event waits for, and the repeated reads after a failure, before the other reads.
    case load(PluginIdentifier)

    /// Prepare the container of the main plugin, the values of the secret settings, and a runner that has loaded no
    /// plugin code; reply with `runnerReady` or `runnerUnavailable`.
    case takeRunner(LaunchNumber, LaunchPreparation)
    /// Move the container of the main plugin aside before the next action. The container is no longer used, and a later
    /// installation must not find it.
    case discardContainer(PluginIdentifier)
    /// Kill a prepared runner that is not needed. No plugin code ran in it, so its end is no end of a launch, unlike
    /// after `kill`.
    case dismissRunner(LaunchNumber)
    /// Let the runner of a launch in the lane enter the sandbox of the plugin, while the launch or the submission that
    /// causes it is being committed. No plugin code runs in it before `sendPlan`. A failure is reported with
    /// `launchFailedByHost`.
    case confineRunner(LaunchNumber, PluginEntry, Lane)
    /// Send the plan of a launch that is on disk, to a runner that was sent its confinement: plugin code may run now.
    case sendPlan(LaunchPlan)
    /// Deliver one more task, which is on disk, to a running launch (C8). The scheduler emits the answer to the
    /// submission of this task before the delivery.
    case deliver(LaunchNumber, PlannedTask)
    case expire(LaunchNumber, [TaskID], ExpirationReason)
    /// End the movements of the task's cursor, because the task of a newer request of the identifier starts (C19).
    case yieldCursor(LaunchNumber, TaskID)
    /// Expire the open assertions of a launch whose tasks have all ended or expired, and refuse new assertions.
    case expireAssertions(LaunchNumber, ExpirationReason)
    /// Stop a launch that has neither an unfinished task nor an open assertion: the plugin stops and the process exits.
    case stop(LaunchNumber)
    /// Delete the files in the staging directory of the plugin that belong to no recorded transfer.
    case sweepTransfers(PluginIdentifier)
    /// Kill every process of the launch.
    case kill(LaunchNumber)
    /// Set the time at which the launch thread kills the launch without a further action. After the kill it delivers
    /// the messages that the runner had sent by then, and reports `killTimePassed`. Replaces the previous time; nil
    /// withdraws it.
    case setKillTime(LaunchNumber, MonotonicTime?)

    /// Send `timerFired` at the earlier of both times, and whenever the wall clock is set. Replaces the previous times.
    case wake(monotonic: MonotonicTime?, wall: WallTime?)
    /// Of the conditions with costly sampling, sample those in the watch and no others. Replaces the previous watch.
    case watch(Watch)
    /// Report that the host may exit: no launch runs, and all changes are recorded or the time limit for recording has
    /// passed.
    case stopped
}

/// The data for the preparation of a launch, before its plan exists.
package struct LaunchPreparation: Hashable, Sendable {
    package let plugin: PluginIdentifier
    /// The main plugin whose container the launch uses.
    package let container: PluginIdentifier
    /// The keys of the plugin's secret settings.
    package let secrets: [String]
    /// The bundle that `Bundle.main` describes in the launch; nil for an ordinary runner.
    package let mainBundle: MainBundle?
    /// Whether the launch performs transfers, and needs the staging directory in the container.
    package let stagesTransfers: Bool

    package init(
        plugin: PluginIdentifier,
        container: PluginIdentifier,
        secrets: [String] = [],
        mainBundle: MainBundle? = nil,
        stagesTransfers: Bool = false
    ) {
        self.plugin = plugin
        self.container = container
        self.secrets = secrets
        self.mainBundle = mainBundle
        self.stagesTransfers = stagesTransfers
    }
}

/// The conditions with costly sampling that are sampled now, because a pending or running task depends on them.
package struct Watch: Hashable, Sendable {
    /// Whether idleness, high load, heat, low battery, the power saver and a metered network are sampled: the conditions in
    /// `Condition.sampled` (C16).
    package var sampled = false
    /// Main plugins whose container lock is sampled, because health research needs the container.
    package var containers: Set<PluginIdentifier> = []

    package init(sampled: Bool = false, containers: Set<PluginIdentifier> = []) {
        self.sampled = sampled
        self.containers = containers
    }
}

/// The answer to a caller. If it reports a change of the ledger, it is sent after the commit of the change.
package enum Answer: Hashable, Sendable {
    case submitted(SubmissionNumber, plugin: PluginIdentifier, replacing: SubmissionNumber?)
    /// The event with that number was stored, and waits for its launch.
    case triggered(SubmissionNumber)
    /// The push with that number was accepted. The deadline is nil for none.
    case pushed(SubmissionNumber, PushResult, expiresAt: WallTime?)
    /// The alert with that number was accepted.
    ///
    /// - Parameter isShown: whether its notification is shown; false while an extension may change it, or an earlier
    ///   alert of its topic is not shown.
    case alerted(SubmissionNumber, isShown: Bool)
    case refused(SubmissionRefusal)
    /// The transfer is paused, or its pause has ended.
    case transferPaused(Bool)
    case noSuchTransfer(message: String)
    /// Number of cancelled pending requests; running tasks continue (statement 44).
    case cancelled(Int)
    case notRecorded(message: String)
    /// The cursor of a running task is on disk.
    case cursorRecorded
    /// A user's call deleted the cursor of a task.
    case cursorCleared
    case cursorNotCleared(message: String)
    /// The plugin has a device token, or none after a revocation. False when this was so before.
    case pushTokenChanged(Bool)
    case lease(LeaseAnswer)
    /// The launches for the requested tasks. The tasks of paused plugins wait until the plugins are resumed.
    case launching([LaunchNumber])
    case notLaunching(message: String)
    case expiring(LaunchNumber)
    /// The unfinished tasks of a launch that are being stopped, by their labels.
    case stopping(LaunchNumber, tasks: [String])
    case notRunning(message: String)
    /// Number of dropped requests and events of a purged plugin; nil when the scheduler had no state of the plugin.
    case purged(Int?)
    case notPurged(message: String)
    case paused(PluginPause)
    case resumed(wasPaused: Bool)
}

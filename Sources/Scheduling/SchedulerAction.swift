// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Something that the shell is to do, in the order given. Its result comes back as an event.
package enum SchedulerAction: Hashable, Sendable {
    /// Write all of these or none; answer with `committed` or `commitFailed`.
    case commit(Ticket, [LedgerChange])
    case answer(ReplyToken, Answer)
    /// Read the pending work of a plugin from the ledger; answer with `loaded` or `notLoaded`. Plugins that somebody waits
    /// for come first.
    case load(PluginIdentifier)

    /// Have a runner ready that no plugin code runs in yet, and the container of that main plugin; answer with
    /// `runnerReady` or `runnerUnavailable`.
    case takeRunner(LaunchNumber, container: PluginIdentifier)
    /// Nobody uses the container of that main plugin any more, and nobody shall find it again: take it out of the way
    /// before the next action.
    case discardContainer(PluginIdentifier)
    /// The runner is not needed after all; nothing of the plugin ran in it.
    case dismissRunner(LaunchNumber)
    /// The launch is on disk: its plugin's code may run now.
    case sendPlan(LaunchPlan)
    /// Hand one more task to a launch that runs: it is on disk (C8). Comes after the answer to its submission.
    case deliver(LaunchNumber, PlannedTask)
    case expire(LaunchNumber, [TaskID], ExpirationReason)
    /// Nothing of the launch may go on: tell its open assertions, and let none begin.
    case expireAssertions(LaunchNumber, ExpirationReason)
    /// Every task is over and no assertion open: let the plugin stop and the process leave.
    case finish(LaunchNumber)
    /// End every process of the launch.
    case kill(LaunchNumber)
    /// Kill the launch at that time without being asked again, after delivering what its runner sent before; nil withdraws
    /// it. Replaces the last one.
    case setKillTime(LaunchNumber, MonotonicTime?)

    /// Send `timerFired` at the earlier of both, or when the wall clock is set. Replaces the last one.
    case wake(monotonic: MonotonicTime?, wall: WallTime?)
    /// Look at what costs something to know, and at nothing else of that kind. Replaces the last one.
    case watch(Watch)
    /// Stopping is complete: nothing runs and nothing waits to be recorded.
    case stopped
}

/// What decisions depend on at the moment, of what is not known for nothing.
package struct Watch: Hashable, Sendable {
    /// How much the machine is used: idleness, load, heat (C16).
    package var use = false
    /// Main plugins whose container has to be readable.
    package var containers: Set<PluginIdentifier> = []

    package init(use: Bool = false, containers: Set<PluginIdentifier> = []) {
        self.use = use
        self.containers = containers
    }
}

/// What a caller is told, always after the commit that makes it true.
package enum Answer: Hashable, Sendable {
    case submitted(SubmissionNumber, plugin: PluginIdentifier, replacing: SubmissionNumber?)
    /// The event waits for its receiver.
    case triggered(SubmissionNumber)
    case refused(Refusal)
    /// How many pending requests were taken back; running ones go on (statement 44).
    case cancelled(Int)
    case notRecorded(message: String)
    case launching([LaunchNumber])
    case notLaunching(message: String)
    case expiring(LaunchNumber)
    case notRunning(message: String)
    /// What a removed plugin had pending is gone: so many requests and events; nil when nobody knew the plugin.
    case purged(Int?)
    case notPurged(message: String)
}

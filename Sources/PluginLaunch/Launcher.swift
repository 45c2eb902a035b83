// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
package import Logging
package import RunnerWire
package import TaskModel

/// Starts runners, carries messages, kills processes on request or at their kill time, and reaps them. It makes no
/// decisions: the caller sets kill times and interprets messages.
///
/// All of this runs on one thread with one epoll set. That thread also starts the processes, because the kernel ties a
/// child's parent-death signal to the thread that started it. Sockets, pipes and process descriptors are polled
/// together, so the end of a launch cannot overtake its messages. Three channels per launch come and go by the
/// hundreds: in an event-loop library they would cost more than they transfer.
///
/// Every event is delivered on that thread, one at a time. The handler may call the launcher and must not block: while
/// it runs, no kill time is enforced. A receiver that is slower than the runners refuses messages through
/// `admitOrPause`. The launcher then stops reading the channel and the streams of that launch, so that the runner
/// blocks and the host's memory use stays bounded.
package final class Launcher: Sendable {
    private let inbox: LaunchInbox
    /// The controllers of the control groups of launches, such as `memory` and `pids`; nil when launches have no
    /// control groups.
    package let controllers: Set<String>?
    /// The directory of the control groups of launches; nil when launches have none.
    package let groups: String?
    private let executable: Descriptor
    private let idleCount = IdleRunnerCount()
    private let group: MissingGroup
    /// The reason why the last started launch has no control group; nil when it has one, before the first launch, and
    /// where launches have no control groups.
    package var missingGroup: String? { group.cause }

    /// Opens the runner's binary, makes this process the subreaper of orphans, and starts the thread.
    ///
    /// - Parameters:
    ///   - path: path of the runner, resolved once; a later upgrade of the file has no effect.
    ///   - requiresGroups: whether a launch without a control group is refused, if launches have control groups.
    ///   - numbers: the numbers of process marks.
    ///   - users: the users that only processes of this host's plugins have; nil when plugins have the host's user.
    ///   - unclaimed: whether children without the mark of a launch are left alone or killed.
    ///   - idleRunners: the number of runners to start in advance while launches are frequent; 0 for none.
    ///   - admitOrPause: whether the receiver accepts another message of the launch. After false, reading of that
    ///     launch stops until `resumeMessages(of:)`, except for the drains at its kill time and its end. Called on the
    ///     launch thread; must not block.
    package init(
        runner path: String,
        environment: RunnerEnvironment,
        controlGroups: ControlGroupPlacement,
        requiresGroups: Bool = false,
        numbers: MarkNumbers = .random,
        users: UserRange? = nil,
        unclaimed: UnclaimedProcesses,
        idleRunners: Int = 0,
        logger: Logger,
        admitOrPause: @escaping @Sendable (LaunchNumber) -> Bool = { _ in true },
        onEvent: @escaping @Sendable (LaunchEvent) -> Void
    ) throws(LaunchError) {
        guard let owner = MarkOwner.current else {
            throw LaunchError(
                code: .refused,
                message: "cannot watch processes: the host's own process is missing in /proc; mount /proc"
            )
        }
        let station = try RunnerStation(
            runner: path,
            environment: environment,
            groups: controlGroups,
            requiresGroups: requiresGroups,
            owner: owner,
            numbers: numbers,
            logger: logger
        )
        controllers = station.groups?.controllers
        groups = station.groups?.path
        executable = station.executable
        let group = MissingGroup()
        self.group = group
        do throws(SystemError) {
            try SystemError.check(bgl_become_subreaper(), "become the parent of orphaned processes")
            let inbox = try LaunchInbox()
            let children = try ChildList()
            let earlier = Set(try children.children().compactMap(ProcessIdentity.init(of:)))
            let timer = Descriptor(
                owning: try SystemError.check(bgl_monotonic_timer_create(), "create a timer")
            )
            let poller = try LaunchPoller()
            try poller.add(inbox.wakeChannel, .wakeChannel)
            try poller.add(timer, .killTimer)
            self.inbox = inbox
            let idleCount = idleCount
            let status = DetachedThread.start("launches") {
                LaunchLoop(
                    inbox: inbox,
                    poller: poller,
                    killTimer: timer,
                    station: station,
                    missingGroup: group,
                    children: children,
                    unclaimed: unclaimed,
                    users: users,
                    earlierChildren: earlier,
                    owner: owner,
                    idle: (idleRunners, idleCount),
                    logger: logger,
                    admitOrPause: admitOrPause,
                    onEvent: onEvent
                ).run()
            }
            try SystemError.check(status, "start the launch thread")
        } catch {
            station.groups?.remove()
            throw LaunchError(error, purpose: "begin to launch runners")
        }
    }

    deinit { inbox.put(.close(nil)) }

    /// Takes an idle runner for the launch, or starts one; the event `ready` or `unavailable` follows. No effect after
    /// `close` has returned.
    ///
    /// - Parameter program: path of the runner in a main bundle, which is then started; nil for the ordinary runner.
    package func take(for launch: LaunchNumber, program: String? = nil) { inbox.put(.take(launch, program: program)) }

    /// The main bundles in a directory, with this launcher's runner.
    package func bundles(in directory: String) -> RunnerBundles { RunnerBundles(of: executable, in: directory) }

    /// Changes the number of idle runners, and kills the excess.
    package func keepIdleRunners(_ count: Int) { inbox.put(.keepIdle(count)) }

    /// The number of runners that wait for a plan now.
    package var idleRunners: Int { idleCount.value }

    /// Sends a message to a runner. Messages keep their order, and wait in memory while the runner does not read, up to
    /// `RunnerChannel.outgoingLimit`: beyond it the channel is closed (`malformed`). Messages to a launch without a
    /// runner or with a closed channel are dropped.
    package func send(_ message: HostMessage, to launch: LaunchNumber) throws(WireError) {
        inbox.put(.send(try message.frame(), launch, isAnswer: message.isAnswer))
    }

    /// Reports the cursors that these tasks write, as `wrote`. Called before the tasks are sent to the runner.
    package func readCursors(of tasks: [TaskID], in launch: LaunchNumber) { inbox.put(.readCursors(tasks, launch)) }

    /// Prepares a launch for its plan, which is sent later: limits its resources by its control group, if it has one,
    /// and accepts a listener for refused system calls if the launch has a filter. A launch whose limits cannot be set
    /// or whose listener does not arrive is killed, with the event `failedByHost`.
    package func limit(_ launch: LaunchNumber, _ resources: LaunchResources) {
        inbox.put(.limit(launch, resources))
    }

    /// Resumes reading from a launch that was stopped because the receiver of its events had no capacity.
    package func resumeMessages(of launch: LaunchNumber) { inbox.put(.resume(launch)) }

    /// Sets the time at which the launch is killed, instead of the time set before; nil for never. The launch thread
    /// enforces the time by itself: it kills every process of the launch, delivers the messages that the runner had
    /// sent by then, and reports `killTimePassed`; `ended` follows. A later time or nil that is set before the kill
    /// time passes withdraws the kill. A past time kills at once. A launch that has ended, or has no process yet, has
    /// no kill time.
    package func setKillTime(_ time: MonotonicTime?, of launch: LaunchNumber) {
        inbox.put(.setKillTime(time, launch))
    }

    /// Calls `body` after all passed kill times have been enforced: the launches are killed, and their messages and
    /// `killTimePassed` are delivered.
    ///
    /// - Parameter body: called once, on the launch thread, or on the caller's if that thread has ended; must not
    ///   block.
    package func afterKillTimes(_ body: @escaping @Sendable () -> Void) { inbox.put(.afterKillTimes(body)) }

    /// Kills every process of the launch; the event `ended` follows when none is left. A launch that has no runner yet
    /// gets none, and `unavailable` follows.
    package func kill(_ launch: LaunchNumber) { inbox.put(.kill(launch)) }

    /// Ends the processes that previous host processes left behind, and returns when they are gone. Processes that this
    /// process may not kill are left. The ended processes are:
    ///
    /// - the recorded processes, unless their numbers have been reused;
    /// - processes with the process mark of a dead host, or in the control group of one;
    /// - processes without a readable mark that have a user of this host's plugins;
    /// - processes with a mark number of this launcher that have the user of the host, of one of its plugins or of an
    ///   earlier plugin.
    ///
    /// - Parameter users: the users that plugins of earlier hosts had.
    /// - Returns: the ended processes that plugins had started. Runners end with their host, and are not among them.
    @discardableResult
    package func endStale(
        _ processes: [RunnerProcess],
        ofEarlier users: Set<UInt32> = []
    ) async -> [UnclaimedProcess] {
        await withCheckedContinuation { inbox.put(.endStale(processes, users: users, $0)) }
    }

    /// Kills every launch, and returns after the last `ended` was delivered. No launch can start afterwards.
    package func close() async {
        await withCheckedContinuation { inbox.put(.close($0)) }
    }
}

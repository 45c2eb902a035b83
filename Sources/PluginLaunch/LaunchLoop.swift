// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import RunnerWire
import TaskModel

/// The loop of the launch thread: it executes the commands of the inbox, reads from the runners and ends launches.
/// `Launcher` is its interface.
///
/// The loop is confined to its thread and exists as long as the thread.
final class LaunchLoop {
    let inbox: LaunchInbox
    let poller: LaunchPoller
    /// Timer for the earliest kill time.
    let killTimer: Descriptor
    let children: ChildList
    let unclaimed: UnclaimedProcesses
    /// The users that only processes of this host's plugins have; nil when plugins have the host's user.
    let users: UserRange?
    /// Children that this process had when the launcher was created. The launch thread never kills these.
    let earlierChildren: Set<ProcessIdentity>
    let owner: MarkOwner
    let logger: Logger
    let admitOrPause: @Sendable (LaunchNumber) -> Bool
    let onEvent: @Sendable (LaunchEvent) -> Void
    let clock = SystemClock()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)

    var station: RunnerStation
    let missingGroup: MissingGroup
    var launches: [LaunchNumber: SupervisedLaunch] = [:]
    var launchesByLeader: [Int32: LaunchNumber] = [:]
    var launchesByMark: [UInt64: LaunchNumber] = [:]
    /// Killed orphans that are not reaped yet, with their launch. Their environment, which may contain their only mark,
    /// is already gone.
    var killedOrphans: [Int32: LaunchNumber] = [:]
    /// Killed unclaimed processes (children without the mark of a launch) that are not reaped yet.
    var killedUnclaimed: Set<ProcessIdentity> = []
    var endings: [StaleEnding] = []
    var idleRunners = IdleRunners()
    var idlePolicy: IdleRunnerPolicy
    let idleCount: IdleRunnerCount
    var nextEnding = 0
    /// Time of the last sweep, the search for orphaned processes of launches. `sweepsAgainAt` is the time of a
    /// scheduled retry; nil for none.
    var sweptAt = MonotonicTime(nanoseconds: 0)
    var sweepsAgainAt: MonotonicTime?

    /// Time for which `killTimer` is armed; nil when no launch has a kill time. The time may be too early, never too
    /// late.
    var nextKillTime: MonotonicTime?

    /// Reads of cursors that notes owe, in the order of their times.
    var owedReads: [OwedRead] = []

    /// Ended launches to report at the end of a turn, after all their descriptors have been released.
    var ended: [(LaunchNumber, RunnerEnd)] = []

    private var waiting: [(number: LaunchNumber, program: String?)] = []
    /// The rate limits of the answers to refused system calls.
    var answerRate: AnswerRate
    /// Channels, streams and listeners that are not read until a time: after their rate limit was exceeded, or after
    /// epoll refused the descriptor.
    var paused: [LaunchInterest: MonotonicTime] = [:]
    /// Channels and streams that are not read until the receiver of the events has capacity, or until a call is
    /// answered.
    var held: Set<LaunchInterest> = []
    private var closers: [CheckedContinuation<Void, Never>?] = []
    /// Functions to call after all passed kill times have been enforced.
    private var afterKillTimes: [@Sendable () -> Void] = []
    private var isClosing: Bool { !closers.isEmpty }

    init(
        inbox: LaunchInbox,
        poller: LaunchPoller,
        killTimer: Descriptor,
        station: RunnerStation,
        missingGroup: MissingGroup,
        children: ChildList,
        unclaimed: UnclaimedProcesses,
        users: UserRange?,
        earlierChildren: Set<ProcessIdentity>,
        owner: MarkOwner,
        idle: (capacity: Int, count: IdleRunnerCount),
        logger: Logger,
        admitOrPause: @escaping @Sendable (LaunchNumber) -> Bool,
        onEvent: @escaping @Sendable (LaunchEvent) -> Void
    ) {
        self.inbox = inbox
        self.poller = poller
        self.killTimer = killTimer
        self.station = station
        self.missingGroup = missingGroup
        self.children = children
        self.unclaimed = unclaimed
        self.users = users
        self.earlierChildren = earlierChildren
        self.owner = owner
        idlePolicy = IdleRunnerPolicy(capacity: idle.capacity)
        idleCount = idle.count
        self.logger = logger
        self.admitOrPause = admitOrPause
        self.onEvent = onEvent
        answerRate = AnswerRate(at: clock.monotonic)
    }

    deinit { buffer.deallocate() }

    func run() {
        while !(isClosing && launches.isEmpty && endings.isEmpty) {
            for readiness in poller.wait(timeout: timeout()) {
                // Checked between any two events: a kill time never waits for reading.
                enforceKillTimes()
                handle(readiness)
            }
            performCommands()
            enforceKillTimes()
            callAfterKillTimes()
            // At most one start per turn: a hundred launches at once must not delay a kill.
            if !waiting.isEmpty {
                let next = waiting.removeFirst()
                start(next.number, next.program)
            }
            let now = clock.monotonic
            resumePaused(at: now)
            readOwedCursors(at: now)
            if waiting.isEmpty, !isClosing { adjustIdleRunners(at: now) }
            if let due = sweepsAgainAt, due <= now {
                sweepsAgainAt = nil
                sweep()
                advanceEndings()
            }
            // Orphans that died while their launch runs are reaped only when another event has woken the thread.
            if !launches.isEmpty, now - sweptAt > .seconds(1) { sweep() }
            reportEnded()
        }
        removeIdleRunners()
        station.groups?.remove()
        callAfterKillTimes()
        inbox.finish()
        for closer in closers { closer?.resume() }
    }

    private func reportEnded() {
        let ends = ended
        ended = []
        for (number, end) in ends { onEvent(.ended(number, end)) }
    }

    private func timeout() -> Duration? {
        if !waiting.isEmpty { return .zero }
        let idle = idlePolicy.nextTime(idle: idleRunners.waiting.count)
        let single = [sweepsAgainAt, owedReads.first?.due, idle].compactMap(\.self)
        guard let due = (Array(paused.values) + single).min() else { return nil }
        return due - clock.monotonic
    }

    private func callAfterKillTimes() {
        let bodies = afterKillTimes
        afterKillTimes = []
        for body in bodies { body() }
    }

    func performCommands() {
        for command in inbox.takeAll() { perform(command) }
    }

    private func perform(_ command: LaunchInbox.Command) {
        switch command {
        case .take(let number, let program):
            waiting.append((number, program))
        case .keepIdle(let count):
            idlePolicy.setCapacity(count, at: clock.monotonic)
            keepIdleRunners(count)
        case .limit(let number, let resources):
            if let launch = launches[number] { limit(launch, resources) }
        case .send(let frame, let number, let isAnswer):
            guard let launch = launches[number] else { return }
            settle(launch, launch.control.send(frame))
            if isAnswer {
                launch.calls.answered()
                resumeControl(of: launch)
            }
        case .readCursors(let tasks, let number):
            for task in tasks { launches[number]?.cursors.add(task) }
        case .resume(let number):
            if let launch = launches[number] { resumeReading(of: launch) }
        case .setKillTime(let time, let number):
            if let launch = launches[number] { setKillTime(time, of: launch) }
        // Called after the commands: enforcing kill times executes commands, and their order matters.
        case .afterKillTimes(let body): afterKillTimes.append(body)
        case .kill(let number):
            if let index = waiting.firstIndex(where: { $0.number == number }) {
                waiting.remove(at: index)
                let error = LaunchError(code: .closed, message: "the launch was killed before its runner was started")
                onEvent(.unavailable(number, error))
            } else if let launch = launches[number], launch.isRunning {
                launch.wasKilled = true
                launch.kill()
            }
        case .endStale(let processes, let users, let waiter):
            endStale(processes, of: users, waiter)
        case .close(let waiter):
            closers.append(waiter)
            idlePolicy.setCapacity(0, at: clock.monotonic)
            keepIdleRunners(0)
            for next in waiting {
                onEvent(.unavailable(next.number, LaunchError(code: .closed, message: "the host is stopping")))
            }
            waiting = []
            for launch in launches.values { launch.wasKilled = true }
            for launch in launches.values { launch.kill() }
        }
    }

    private func handle(_ readiness: LaunchPoller.Readiness) {
        switch readiness.interest {
        case .wakeChannel:
            bgl_eventfd_clear(inbox.wakeChannel.number)
        case .killTimer:
            // Kill times are checked in every step of the loop; this event only ends the wait.
            _ = bgl_timer_read(killTimer.number)
        case .idle(let pid):
            idleRunnerEnded(pid)
        case .leader(let number):
            if let launch = launches[number] { leaderEnded(launch) }
        case .leftover(let number):
            if let launch = launches[number] { leftoverEnded(launch) }
        case .group(let number):
            if let launch = launches[number] { leaveGroup(launch) }
        case .control(let number):
            guard let launch = launches[number] else { return }
            if readiness.isWritable { settle(launch, launch.control.flush()) }
            if readiness.isReadable { receive(launch) }
        case .refusals(let number):
            if let launch = launches[number] { answerRefusedCall(of: launch) }
        case .output(let number, let stream):
            if let launch = launches[number] { readOutput(launch, stream) }
        case .stale(let ending):
            staleChanged(ending)
        }
    }

    // MARK: Starting

    private func start(_ number: LaunchNumber, _ program: String?) {
        guard !isClosing else {
            return onEvent(.unavailable(number, LaunchError(code: .closed, message: "the host is stopping")))
        }
        guard launches[number] == nil else {
            return onEvent(
                .unavailable(
                    number,
                    LaunchError(
                        code: .refused,
                        message: "launch \(number) has a runner already; report this defect of bgtaskd"
                    )
                )
            )
        }
        do throws(LaunchError) {
            let runner = try takeRunner(for: number, program)
            missingGroup.set(runner.missingGroup)
            let launch = SupervisedLaunch(runner, number: number, at: clock.monotonic)
            try watch(launch)
            launches[number] = launch
            launchesByLeader[launch.process.pid] = number
            launchesByMark[launch.mark.number] = number
            onEvent(.ready(number, launch.process))
            if let cause = runner.missingGroup { reportMissingGroup(of: number, because: cause) }
        } catch {
            onEvent(.unavailable(number, error))
        }
    }

    /// Takes an idle runner, or starts one. A runner in a bundle is always started: the program of a process never
    /// changes.
    private func takeRunner(for number: LaunchNumber, _ program: String?) throws(LaunchError) -> RunnerStation.Start {
        if let program { return try station.start(for: number, program: program) }
        let idle = takeIdleRunner()
        let runner = if let idle { idle } else { try station.start(for: number) }
        idlePolicy.launchStarted(withIdleRunner: idle != nil, at: clock.monotonic)
        return runner
    }

    private func watch(_ launch: SupervisedLaunch) throws(LaunchError) {
        let number = launch.number
        do throws(SystemError) {
            if let leader = launch.leader { try poller.add(leader, .leader(number)) }
            if let control = launch.control.descriptor { try poller.add(control, .control(number)) }
            for (stream, output) in launch.outputs {
                if let pipe = output.descriptor { try poller.add(pipe, .output(number, stream)) }
            }
        } catch {
            launch.kill()
            bgl_wait(launch.process.pid, 1, nil)
            unwatch(launch)
            _ = launch.group?.remove()
            throw LaunchError(error, purpose: "watch launch \(number)")
        }
    }

    func unwatch(_ launch: SupervisedLaunch) {
        let number = launch.number
        if let leader = launch.leader { poller.remove(leader, .leader(number)) }
        if let control = launch.control.descriptor { poller.remove(control, .control(number)) }
        endRefusals(of: launch)
        forgetPause(.control(number))
        for (stream, output) in launch.outputs {
            if let pipe = output.descriptor { poller.remove(pipe, .output(number, stream)) }
            forgetPause(.output(number, stream))
        }
    }
}

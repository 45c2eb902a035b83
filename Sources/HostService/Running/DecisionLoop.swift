// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import LinuxSystem
import Logging
import PluginLaunch
import RunnerWire
import SandboxPolicy
import Scheduling
import ServiceLifecycle
import Synchronization
import TaskLedger
import TaskModel

/// Passes events to the scheduler, one at a time, and performs its actions. The loop makes no decisions.
///
/// The loop has its own thread, which alone uses the scheduler, and a mailbox that receives all inputs. Actions never
/// wait: commits, launches, containers and timers report their results later, as inputs.
final class DecisionLoop: Service, Sendable {
    typealias Reply = @Sendable (Answer) -> Void

    let mailbox: Mailbox
    let state: StateDirectory
    let ledger: Ledger
    let threads: DiskThreads
    let launcher: Launcher
    let sandboxes: SandboxPolicy
    /// Limits and priority of launches in the host's configuration.
    let resources: (limits: PluginLimits, backgroundNice: Int)
    /// The keeper of the users that run plugins.
    let users: UserKeeper
    let conditions: ConditionsKeeper
    /// The logs of launches.
    let logs: LaunchLogs
    let containers: ContainerQueue
    let log: Logger
    /// Called when a library differs from its catalogue entry although the watch of its directory signalled no change.
    let onUnseenChange: @Sendable () -> Void
    /// Changed titles of running continued tasks.
    let titles = TaskTitles()
    let runners = RunnerDirectory()
    let sweeps = SweepTable()
    let timer: WakeTimer
    /// The point at which the host kills itself; nil except in the hosts of `make torture`.
    let killPoint: KillPoint?
    private let clock: SystemClock
    private let initial: Mutex<Scheduler?>
    private let replies = Mutex<ReplyTable>(ReplyTable())

    /// The replies of callers that wait for the scheduler's answer.
    private struct ReplyTable {
        var waiting: [ReplyToken: Reply] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    init(
        core: consuming Scheduler,
        mailbox: Mailbox,
        state: StateDirectory,
        ledger: Ledger,
        threads: DiskThreads,
        launcher: Launcher,
        sandboxes: SandboxPolicy,
        users: UserKeeper,
        resources: (limits: PluginLimits, backgroundNice: Int) = (.none, 0),
        secrets: SecretReader = .none,
        conditions: ConditionsKeeper,
        logs: LaunchLogs,
        clock: SystemClock,
        onUnseenChange: @escaping @Sendable () -> Void,
        killPoint: KillPoint? = nil,
        log: Logger
    ) throws(HostError) {
        self.mailbox = mailbox
        self.state = state
        self.ledger = ledger
        self.threads = threads
        self.launcher = launcher
        self.sandboxes = sandboxes
        self.users = users
        self.resources = resources
        self.conditions = conditions
        self.logs = logs
        self.clock = clock
        self.onUnseenChange = onUnseenChange
        self.killPoint = killPoint
        self.log = log
        containers = ContainerQueue(
            state: state,
            users: users,
            secrets: secrets,
            bundles: launcher.bundles(in: state.bundleDirectory)
        )
        initial = Mutex(core)
        // Both threads wake late after a standstill of the host. Messages that runners sent before their kill times are
        // handled first.
        timer = try WakeTimer { launcher.afterKillTimes { mailbox.put(.timer) } }
    }

    // MARK: - The loop

    /// Runs the loop until the scheduler has stopped, after a stop of the host, or until the calling Swift task is
    /// cancelled. Called once.
    func run() async throws {
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await onOwnThread { self.decide() }
            } onGracefulShutdown: {
                self.log.info("stopping")
                ServiceNotification.stopping()
                self.mailbox.put(.event(.stopRequested))
            }
        } onCancel: {
            self.mailbox.close()
        }
    }

    private func onOwnThread(_ body: @escaping @Sendable () -> Void) async throws {
        let status = await withCheckedContinuation { continuation in
            let status = DetachedThread.start("decisions") {
                body()
                continuation.resume(returning: 0 as Int32)
            }
            if status < 0 { continuation.resume(returning: status) }
        }
        guard status < 0 else { return }
        let error = SystemError(number: -status, attempt: "start the thread of the decision loop")
        throw HostError(
            code: .systemRefused,
            message: "\(error); the host's user may have reached its limit of processes (RLIMIT_NPROC), or its service"
                + " its limit (TasksMax=); raise both"
        )
    }

    private func decide() {
        // Moved out of `initial`: a second reference to its tables would have them copied at the first change.
        guard var core = initial.withLock({ $0.take() }) else { return }
        var launches = LaunchDirectory()
        while let delivery = mailbox.take() {
            if let launch = delivery.resumed { launcher.resumeMessages(of: launch) }
            if handle(delivery.input, &core, &launches) { break }
        }
        mailbox.close()
        timer.stop()
        closeReplies()
    }

    /// Handles one input. Returns true once the scheduler has stopped.
    private func handle(_ input: Input, _ core: inout Scheduler, _ launches: inout LaunchDirectory) -> Bool {
        let now = clock.now()
        if case .reading(let body, _) = input {
            body(core, now)
            return false
        }
        for event in events(of: input, core, &launches) {
            if decide(on: event, at: now, &core, &launches) { return true }
        }
        launches.payloads = [:]
        launches.startingCursors = [:]
        // A timer fires once. If the clock was set back in between, its time is still ahead.
        if case .timer = input { timer.rearm() }
        return false
    }

    /// Passes an event to the scheduler and performs its actions. Returns true once the scheduler has stopped.
    ///
    /// The reports of cursors that the actions cause follow in the same turn: behind the mailbox, a message of the
    /// runner that received the cursors could come first.
    private func decide(
        on event: SchedulerEvent,
        at now: Moment,
        _ core: inout Scheduler,
        _ launches: inout LaunchDirectory
    ) -> Bool {
        if perform(core.handle(event, at: now), &launches) { return true }
        for report in launches.takeCursorReports() {
            if decide(on: report, at: now, &core, &launches) { return true }
        }
        return false
    }

    /// Reads the pending work of a plugin on a disk thread.
    func load(_ plugin: PluginIdentifier) {
        threads.perform { [mailbox, ledger, log] in
            do throws(LedgerError) {
                mailbox.put(.event(.loaded(try ledger.work(of: plugin))))
            } catch {
                log.error("pending requests and events not read: \(error)", metadata: ["plugin": "\(plugin)"])
                mailbox.put(.event(.notLoaded(plugin, message: "\(error)")))
            }
        }
    }

    // MARK: - Events and questions of other threads

    func post(_ event: SchedulerEvent) { mailbox.put(.event(event)) }

    func ask(_ event: (ReplyToken) -> SchedulerEvent) async -> Answer {
        await withCheckedContinuation { continuation in
            guard let token = register({ continuation.resume(returning: $0) }) else { return }
            mailbox.put(.event(event(token)))
        }
    }

    /// A value that `body` computes from the scheduler between two events; nil once the host has stopped.
    ///
    /// `body` runs on the loop's thread, because a copy of the scheduler would force the next event to copy all its
    /// tables. `body` has to return values of bounded size and leave further work on them to the caller.
    func read<Value: Sendable>(_ body: @escaping @Sendable (borrowing Scheduler, Moment) -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            mailbox.put(
                .reading(
                    body: { core, now in continuation.resume(returning: body(core, now)) },
                    close: { continuation.resume(returning: nil) }
                )
            )
        }
    }

    // MARK: - Replies

    /// Stores a reply until the scheduler answers its token. Once the host has stopped, calls `reply` with a refusal
    /// and returns nil.
    func register(_ reply: @escaping Reply) -> ReplyToken? {
        let token = replies.withLock { table -> ReplyToken? in
            if table.isClosed { return nil }
            table.last += 1
            table.waiting[ReplyToken(rawValue: table.last)] = reply
            return ReplyToken(rawValue: table.last)
        }
        if token == nil { reply(Self.stopping) }
        return token
    }

    func answer(_ token: ReplyToken, _ answer: Answer) {
        let reply = replies.withLock { $0.waiting.removeValue(forKey: token) }
        reply?(answer)
    }

    private static let stopping = Answer.refused(.hostStopping())

    private func closeReplies() {
        let open = replies.withLock { table in
            table.isClosed = true
            defer { table.waiting = [:] }
            return table.waiting.values.map { $0 }
        }
        for reply in open { reply(Self.stopping) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import PluginLaunch
import RunnerWire
import Scheduling
import ServiceLifecycle
import Synchronization
import TaskLedger
import TaskModel

/// Feeds the scheduling core one event at a time, in the order of their arrival, and does what it says. Decides nothing.
///
/// Everything that can happen arrives in one stream, which one loop reads; the core lives inside that loop and nobody else
/// touches it. No action waits: commits, launches and timers answer later, with an event of their own.
final class HostScheduler: Service, Sendable {
    enum Input: Sendable {
        case event(SchedulerEvent)
        case launch(LaunchEvent)
        /// A timer went off. Handled behind what was there already, so that a late host kills nobody who was in time.
        case timer(isLast: Bool)
        case reading(@Sendable (borrowing Scheduler, Moment) -> Void)
    }

    typealias Reply = @Sendable (Answer) -> Void

    let state: StateFolder
    let ledger: Ledger
    let launcher: Launcher
    let log: Logger
    private let conditions: ConditionsKeeper
    /// Called when a library is found to be another than the catalogue says.
    let onUnseenChange: @Sendable () -> Void
    private let timer: WakeTimer
    private let clock: SystemClock
    private let initial: Mutex<Scheduler?>
    private let inputs: AsyncStream<Input>
    private let entrance: AsyncStream<Input>.Continuation
    private let replies = Mutex<ReplyBook>(ReplyBook())
    /// How long entry may take in a launch without a fixed budget.
    let entryLimit: Duration
    /// What running continued tasks are called now, where that is not what they were submitted with.
    let titles = TitleBook()

    /// What callers of this process wait for.
    private struct ReplyBook {
        var waiting: [ReplyToken: Reply] = [:]
        var last: UInt64 = 0
        var isClosed = false
    }

    init(
        scheduler: Scheduler,
        state: StateFolder,
        ledger: Ledger,
        launcher: Launcher,
        conditions: ConditionsKeeper,
        clock: SystemClock,
        entrance: (stream: AsyncStream<Input>, continuation: AsyncStream<Input>.Continuation),
        onUnseenChange: @escaping @Sendable () -> Void,
        log: Logger
    ) throws(HostError) {
        self.state = state
        self.ledger = ledger
        self.launcher = launcher
        self.conditions = conditions
        self.clock = clock
        self.onUnseenChange = onUnseenChange
        self.log = log
        entryLimit = scheduler.configuration.stallLimit
        initial = Mutex(scheduler)
        inputs = entrance.stream
        self.entrance = entrance.continuation
        let continuation = entrance.continuation
        timer = try WakeTimer { continuation.yield(.timer(isLast: false)) }
    }

    /// Serves until it was told to stop and all that ran has ended and is recorded.
    func run() async throws {
        guard var scheduler = initial.withLock({ $0.take() }) else { return }
        var launches = LaunchDirectory()
        await withGracefulShutdownHandler {
            for await input in inputs where take(input, &scheduler, &launches) { break }
        } onGracefulShutdown: {
            self.log.info("stopping")
            ServiceNotification.stopping()
            self.entrance.yield(.event(.stopRequested))
        }
        entrance.finish()
        timer.stop()
        closeReplies()
    }

    /// True once the core has stopped.
    private func take(_ input: Input, _ scheduler: inout Scheduler, _ launches: inout LaunchDirectory) -> Bool {
        let now = clock.now()
        switch input {
        case .reading(let body): body(scheduler, now)
        case .timer(isLast: false): entrance.yield(.timer(isLast: true))
        case .event, .launch, .timer:
            for event in events(of: input, scheduler, &launches) {
                let actions = scheduler.handle(event, at: now)
                if perform(actions, &launches) { return true }
            }
            // A timer goes off once. When the clock was set back meanwhile, its instant is still to come.
            if case .timer = input { timer.rearm() }
        }
        return false
    }

    // MARK: - What others tell and ask

    func tell(_ event: SchedulerEvent) { entrance.yield(.event(event)) }

    /// Asks the core something that it answers once the answer is true.
    func ask(_ event: (ReplyToken) -> SchedulerEvent, then reply: @escaping Reply) {
        let token = replies.withLock { book -> ReplyToken? in
            if book.isClosed { return nil }
            book.last += 1
            book.waiting[ReplyToken(rawValue: book.last)] = reply
            return ReplyToken(rawValue: book.last)
        }
        guard let token else { return reply(Self.stopping) }
        entrance.yield(.event(event(token)))
    }

    func ask(_ event: (ReplyToken) -> SchedulerEvent) async -> Answer {
        await withCheckedContinuation { continuation in ask(event) { continuation.resume(returning: $0) } }
    }

    /// Looks at the core between two events; nil once the host has stopped.
    func read<Value: Sendable>(_ body: @escaping @Sendable (borrowing Scheduler, Moment) -> Value) async -> Value? {
        let (values, continuation) = AsyncStream<Value>.makeStream()
        let result = entrance.yield(
            .reading { scheduler, now in
                continuation.yield(body(scheduler, now))
                continuation.finish()
            }
        )
        if case .terminated = result { return nil }
        for await value in values { return value }
        return nil
    }

    // MARK: - What the core says

    /// True when the core has stopped.
    private func perform(_ actions: [SchedulerAction], _ launches: inout LaunchDirectory) -> Bool {
        var hasStopped = false
        for action in actions {
            switch action {
            case .commit(let ticket, let changes): ledger.submit(ticket: ticket.rawValue, changes: changes)
            case .answer(let token, let answer): self.answer(token, answer)
            case .takeRunner(let launch, let main): takeRunner(launch, container: main)
            case .discardContainer(let main): state.discardContainer(of: main.text)
            case .dismissRunner(let launch): launcher.kill(launch)
            case .sendPlan(let plan): send(plan, &launches)
            case .deliver(let launch, let task): deliver(task, to: launch)
            case .expire(let launch, let tasks, let reason): send(.expire(tasks, reason), to: launch)
            case .expireAssertions(let launch, let reason): send(.expireAssertions(reason), to: launch)
            case .finish(let launch): send(.stop, to: launch)
            case .kill(let launch): launcher.kill(launch)
            case .watch(let watch): conditions.watch(watch)
            case .wake(let monotonic, let wall): timer.set(monotonic: monotonic, wall: wall)
            case .stopped: hasStopped = true
            }
        }
        return hasStopped
    }

    private func answer(_ token: ReplyToken, _ answer: Answer) {
        let reply = replies.withLock { $0.waiting.removeValue(forKey: token) }
        reply?(answer)
    }

    private static let stopping = Answer.refused(
        Refusal(
            code: .unavailable,
            subReason: .hostStopping,
            message: "the host is stopping; try again when it is back"
        )
    )

    private func closeReplies() {
        let open = replies.withLock { book in
            book.isClosed = true
            defer { book.waiting = [:] }
            return book.waiting.values.map { $0 }
        }
        for reply in open { reply(Self.stopping) }
    }
}

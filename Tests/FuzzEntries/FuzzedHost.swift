// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import RunnerWire
internal import TaskModel

@testable internal import HostService
@testable internal import Scheduling

/// A scheduler with a main plugin whose tasks run, its extension, and a perfect ledger: each commit succeeds at once.
struct FuzzedHost {
    private var scheduler: Scheduler
    private var judges: [LaunchNumber: RunnerJudge] = [:]
    private(set) var answers: [ReplyToken: Answer] = [:]
    /// The kinds of the tasks that were sent to runners.
    private(set) var sentKinds: Set<TaskKind> = []
    private var lastReply: UInt64 = 0
    private var seconds: Int64 = 1_767_268_800

    private var now: Moment {
        Moment(
            monotonic: MonotonicTime(nanoseconds: seconds * 1_000_000_000),
            wall: WallTime(nanoseconds: seconds * 1_000_000_000),
            boot: BootID("boot")
        )
    }

    init() {
        var configuration = SchedulingConfiguration()
        configuration.policies.stagger = .zero
        let start = WallTime(nanoseconds: 1_767_268_800 * 1_000_000_000)
        scheduler = Scheduler(
            configuration: configuration,
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true, resources: [.gpu]),
            snapshot: LedgerSnapshot(),
            at: Moment(monotonic: MonotonicTime(nanoseconds: 0), wall: start, boot: BootID("boot"))
        )
        send(.catalogued(CatalogueChange(to: Catalogue(SamplePlugins.all))))
        for launch in judges.keys.sorted() {
            send(.entered(launch, status: 0, registered: SamplePlugins.permitted, offersReceive: true))
        }
        wait(for: 60)
        for request in SamplePlugins.requests {
            _ = ask { .submitted(Submission(request: request, submitter: .user), reply: $0) }
        }
        // One launch has all background tasks: each of them alone would wait for the end of the one before it.
        let background = SamplePlugins.requests.filter { $0.kind != .continued }.map(\.identifier)
        _ = ask { .runRequested(background, reply: $0) }
        wait(for: 600)
    }

    /// The host with its first tasks, created once. Each run of a fuzz entry changes only a copy.
    static let atWork = FuzzedHost()

    // MARK: Calls and messages

    /// The answer of the scheduler to a call; nil when there is none yet.
    mutating func ask(_ question: (ReplyToken) -> SchedulerEvent) -> Answer? {
        lastReply += 1
        let reply = ReplyToken(rawValue: lastReply)
        send(question(reply))
        return answers[reply]
    }

    /// Sends the messages as those of a running launch, and ends that launch. Returns the first problem; nil without
    /// one.
    mutating func problem(with messages: [RunnerMessage], ofLaunch index: Int) -> String? {
        let running = judges.keys.sorted()
        guard !running.isEmpty else { return "the scheduler launched nothing" }
        let launch = running[index % running.count]
        for (index, message) in messages.enumerated() {
            if let problem = answer(message, of: launch) { return problem }
            if index % 8 == 7 { wait(for: 1) }
        }
        send(.runnerEnded(launch, .exited(code: 0), nil))
        wait(for: 86_400)
        return nil
    }

    private mutating func answer(_ message: RunnerMessage, of launch: LaunchNumber) -> String? {
        let isLoading = scheduler.isLoadingFunctions(launch)
        let verdict = judges[launch]?.judge(message, libraryNow: { _ in nil }, isLoadingFunctions: isLoading)
        switch verdict {
        case .event(let event), .taskEnded(_, let event), .libraryChanged(let event): send(event)
        case .question(let call, let question):
            guard let answer = ask(question.event) else { return "a call of a runner has no answer" }
            let reply: HostMessage =
                switch answer {
                case .submitted(let number, _, _): .submitted(call, number)
                case .refused(let refusal): .refused(call, refusal)
                default: .cancelled(call, isRecorded: true)
                }
            if DecodedStream<HostMessage>(whole: (try? reply.frame()) ?? []).messages != [reply] {
                return "an answer of the host cannot be sent"
            }
        case .answer(let reply):
            if (try? reply.frame()) == nil { return "a refusal of the host cannot be sent" }
        case .cursor(let task): send(.cursorWritten(launch, task, CursorWrite.moved))
        case .checkpoint(let call, let task, _):
            let answer = ask { .cursorWritten(launch, task, CursorWrite.moved, reply: $0) }
            let isRecorded = if case .cursorRecorded = answer { true } else { false }
            let reply = HostMessage.cursorStored(call, isRecorded: isRecorded)
            if (try? reply.frame()) == nil { return "an answer to a checkpoint cannot be sent" }
        case .pushToken(let call, let plugin, let isRegistration):
            let token = PushToken(bytes: Array(repeating: 1, count: PushToken.size))
            let change: PushTokenChange = isRegistration ? token.map { .issue($0) } ?? .revoke : .revoke
            guard ask({ .pushTokenChangeRequested(plugin, change, from: launch, reply: $0) }) != nil else {
                return "a call of a runner about its device token has no answer"
            }
            if (try? HostMessage.pushToken(call, token).frame()) == nil { return "a device token cannot be sent" }
        case .transfer(let message, let plugin): return answer(message, from: plugin, of: launch)
        case .pendingList, .title, .log, .nothing, nil: break
        }
        return nil
    }

    private mutating func answer(
        _ message: RunnerTransferMessage,
        from plugin: PluginIdentifier,
        of launch: LaunchNumber
    ) -> String? {
        switch message {
        case .begin(_, let description, let earliestBegin, let expiresAt):
            let transfer = NewTransfer(
                description,
                earliestBegin: earliestBegin,
                expiresAt: expiresAt,
                plugin: plugin,
                launch: launch
            )
            if ask({ .transferBegun(transfer, reply: $0) }) == nil { return "a begun transfer has no answer" }
        case .cancel(_, let number):
            let identifier = TaskIdentifier.transfer(number, of: plugin)
            if ask({ .cancelRequested(identifier, of: plugin, from: launch, reply: $0) }) == nil {
                return "the cancellation of a transfer has no answer"
            }
        case .list: break
        case .taken(let number): send(.transferTaken(launch, number))
        case .ended(let task, let end): send(.transferEnded(launch, task, end))
        }
        return nil
    }

    // MARK: The scheduler

    private mutating func wait(for duration: Int64) {
        seconds += duration
        send(.timerFired)
    }

    private mutating func send(_ event: SchedulerEvent) {
        var events = [event]
        while let event = events.popLast() {
            for action in scheduler.handle(event, at: now) {
                if let result = result(of: action) { events.insert(result, at: 0) }
            }
        }
    }

    private mutating func result(of action: SchedulerAction) -> SchedulerEvent? {
        switch action {
        case .commit(let ticket, _): return .committed(ticket)
        case .load(let plugin): return .loaded(PluginWork(plugin: plugin))
        case .takeRunner(let launch, _):
            return .runnerReady(
                launch,
                RunnerProcess(pid: 1, startTime: 1, boot: now.boot, controlGroup: nil)
            )
        case .sendPlan(let plan):
            var judge = RunnerJudge(of: plan.number, plan.plugin)
            judge.planSent(with: plan.tasks)
            judges[plan.number] = judge
            sentKinds.formUnion(plan.tasks.map(\.work.kind))
        case .deliver(let launch, let task):
            judges[launch]?.delivered(task)
            sentKinds.insert(task.work.kind)
        case .stop(let launch): return .runnerEnded(launch, .exited(code: 0), nil)
        case .kill(let launch): return .runnerEnded(launch, .signaled(9), nil)
        case .answer(let reply, let answer): answers[reply] = answer
        case .discardContainer, .dismissRunner, .confineRunner, .expire, .yieldCursor, .expireAssertions,
            .sweepTransfers, .setKillTime, .wake, .watch, .stopped:
            break
        }
        return nil
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

/// Replaces the host around a scheduler in tests: it passes events to the scheduler and performs its actions. Nothing
/// happens by itself.
///
/// By default commits succeed at once, runners are available, and processes exit when requested and die when killed. A
/// test can hold each of these and release it step by step. The driver also checks the order of actions. An answer
/// before its commit, a plan before its launch is on disk and a timer that stays due are complaints that fail the test.
final class SchedulerDriver {
    enum Commits { case written, held, failing }
    enum Runners { case ready, held, unavailable }
    enum Loads { case ready, held, failing }

    var commits = Commits.written
    var runners = Runners.ready
    var loads = Loads.ready
    /// Whether processes exit when requested and die when killed.
    var processesObey = true
    /// Whether the scheduler receives the reports of the tasks that begin at a cursor.
    var reportsCursors = true
    /// Whether every submission that leaves the ledger must have a journal entry at once. Applies only
    /// while commits are neither held nor failing.
    var isStrict = true
    /// Called with a message for each rule that the scheduler breaks; records an issue by default.
    var onComplaint: (String) -> Void = { Issue.record("\($0)") }

    let configuration: SchedulingConfiguration
    var conditions: Conditions
    var clock = ManualClock()
    var ledger = LedgerInMemory()
    var scheduler: Scheduler
    var installed: [PluginEntry] = []
    /// Problems of the refused manifests, by plugin.
    var refused: [PluginIdentifier: String] = [:]
    /// The catalogue that was last sent to the scheduler.
    var catalogue = Catalogue()

    /// Actions of the scheduler since the last `forgetThePast`.
    var actions: [SchedulerAction] = []
    var answers: [ReplyToken: Answer] = [:]
    var journalMark = 0
    var wake: (monotonic: MonotonicTime?, wall: WallTime?) = (nil, nil)
    var wakeCount = 0

    var heldCommits: [(ticket: Ticket, changes: [LedgerChange])] = []
    var heldRunners: [LaunchNumber] = []
    var heldLoads: [PluginIdentifier] = []
    /// The last kill time that the scheduler set for each launch.
    var killTimes: [LaunchNumber: MonotonicTime] = [:]
    /// Launches whose plan was sent and whose process has not ended, by number.
    var processes: [LaunchNumber: LaunchPlan] = [:]
    /// The plan of every launch, first as committed, then as sent.
    var plansByNumber: [LaunchNumber: LaunchPlan] = [:]
    /// Tasks that joined a running launch, by launch.
    var arrivals: [LaunchNumber: [PlannedTask]] = [:]
    /// The watch that the scheduler requested last.
    var watch = Watch()
    /// Submissions launched at a user's request, regardless of time and conditions.
    var simulated: Set<SubmissionNumber> = []
    /// Number of further actions after which the host dies; nil for never.
    var actionsToLive: Int?
    var lastReply: UInt64 = 0
    /// The user of the next calls; nil where the user does not matter.
    var caller: CallingUser?

    /// An observer of all events and actions, in order; nil in most tests.
    var witness: (any Witness)?

    /// The entry and the lane for which the runner of each launch without a plan was sent its confinement.
    var confined: [LaunchNumber: (entry: PluginEntry, lane: Lane)] = [:]
    private var inbox: [SchedulerEvent] = []
    private var isWorking = false
    private var complaintsSeen = 0

    /// Starts a host with installed plugins whose first launches are completed.
    init(
        _ plugins: PluginEntry...,
        conditions: Conditions = Conditions(isOnExternalPower: true, hasNetwork: true),
        configure: (inout SchedulingConfiguration) -> Void = { _ in }
    ) {
        var configuration = SchedulingConfiguration()
        // Without the stagger, only the conditions and dates of a test delay its requests.
        configuration.policies.stagger = .zero
        // Tests of other rules submit refresh requests of the plugin in quick succession.
        configuration.policies.kindSpacing = [:]
        configure(&configuration)
        self.configuration = configuration
        self.conditions = conditions
        if conditions.containerLocks.isEmpty { self.conditions.containerLocks = .known(locked: []) }
        scheduler = Scheduler(
            configuration: configuration,
            conditions: self.conditions,
            snapshot: LedgerSnapshot(),
            at: clock.now
        )
        if plugins.isEmpty { return }
        installed = plugins
        sendCatalogue()
        finishStarting()
        forgetThePast()
    }

    func send(_ event: SchedulerEvent) {
        inbox.append(event)
        if isWorking { return }
        isWorking = true
        defer { isWorking = false }
        while !inbox.isEmpty {
            let event = inbox.removeFirst()
            witness?.willHandle(event)
            let decided = scheduler.handle(event, at: clock.now)
            witness?.didDecide(event, decided)
            for action in decided {
                if let left = actionsToLive {
                    if left == 0 { return die() }
                    actionsToLive = left - 1
                }
                actions.append(action)
                carryOut(action)
            }
        }
        witness?.didSettle()
        if isStrict, commits == .written, heldCommits.isEmpty, let number = ledger.unexplained.min() {
            complain("submission \(number) disappeared from the ledger without a journal entry")
        }
    }

    private func carryOut(_ action: SchedulerAction) {
        switch action {
        case .commit(let ticket, let changes): commit(ticket, changes)
        case .answer(let reply, let answer): note(answer, to: reply)
        case .takeRunner(let launch, _):
            switch runners {
            case .ready: inbox.append(.runnerReady(launch, process(of: launch)))
            case .held: heldRunners.append(launch)
            case .unavailable: inbox.append(.runnerUnavailable(launch, message: "too many processes"))
            }
        case .load(let plugin):
            switch loads {
            case .ready: inbox.append(.loaded(ledger.work(of: plugin)))
            case .held: heldLoads.append(plugin)
            case .failing: inbox.append(.notLoaded(plugin, message: "a row is damaged"))
            }
        case .setKillTime(let launch, let time):
            if killTimes[launch] == time { complain("the same kill time of launch \(launch) is set twice") }
            killTimes[launch] = time
        case .dismissRunner(let launch):
            if processes[launch] != nil { complain("the runner of launch \(launch) is dismissed while it is needed") }
            confined[launch] = nil
        case .confineRunner(let launch, let entry, let lane):
            if confined.updateValue((entry, lane), forKey: launch) != nil {
                complain("the runner of launch \(launch) is sent its confinement twice")
            }
        case .sendPlan(let plan): runPlan(plan)
        case .stop(let launch): obey(launch, .exited(code: 0))
        case .kill(let launch): obey(launch, .signaled(9))
        case .wake(let monotonic, let wall):
            if wake == (monotonic, wall) { complain("the same wake is asked for twice") }
            wake = (monotonic, wall)
            wakeCount += 1
        case .deliver(let launch, let task): hand(task, to: launch)
        case .watch(let new): watch = new
        case .discardContainer, .expire, .yieldCursor, .expireAssertions, .sweepTransfers, .stopped: break
        }
    }

    private func obey(_ launch: LaunchNumber, _ termination: ProcessTermination) {
        guard processesObey else { return }
        processes[launch] = nil
        inbox.append(.runnerEnded(launch, termination, nil))
    }

    // MARK: The ledger

    private func commit(_ ticket: Ticket, _ changes: [LedgerChange]) {
        for case .startLaunch(let plan) in changes { check(plan) }
        // The ledger keeps the order of commits.
        if !heldCommits.isEmpty { return heldCommits.append((ticket, changes)) }
        switch commits {
        case .held: heldCommits.append((ticket, changes))
        case .written: inbox.append(report(ticket, changes))
        case .failing: inbox.append(.commitFailed(ticket, message: "disk full"))
        }
    }

    /// Writes the ticket to the ledger, and returns the event for its success or failure.
    func report(_ ticket: Ticket, _ changes: [LedgerChange]) -> SchedulerEvent {
        do {
            try ledger.apply(changes) { configuration.policy(for: $0).limits ?? configuration.limits }
            witness?.didWrite(changes)
            for complaint in ledger.complaints.dropFirst(complaintsSeen) { complain(complaint) }
            complaintsSeen = ledger.complaints.count
            return .committed(ticket)
        } catch let contradiction as LedgerInMemory.Contradiction {
            return .commitFailed(ticket, message: contradiction.message)
        } catch {
            return .commitFailed(ticket, message: "\(error)")
        }
    }

    // MARK: Checks

    private func note(_ answer: Answer, to reply: ReplyToken) {
        if answers[reply] != nil { complain("reply \(reply.rawValue) is answered twice") }
        if let number = answer.submission, !ledger.everStored.contains(number) {
            complain("submission \(number) is acknowledged before it is on disk")
        }
        answers[reply] = answer
    }

    private func runPlan(_ plan: LaunchPlan) {
        if !ledger.runningLaunches.contains(plan.number) {
            complain("the plan of launch \(plan.number) is sent before the launch is on disk")
        }
        for other in processes.values
        where other.plugin.identifier == plan.plugin.identifier && (lane(of: other) ?? other.lane) == plan.lane
            && plan.lane != .continued && plan.lane != .transfer
        {
            complain("launches \(other.number) and \(plan.number) of one lane run at once")
        }
        let confinement = confined.removeValue(forKey: plan.number)
        if confinement?.entry != plan.plugin || confinement?.lane != plan.lane {
            complain("the plan of launch \(plan.number) is sent to a runner without the confinement for it")
        }
        if plan.budget.start != clock.now.monotonic { complain("the budget of \(plan.number) began before its plan") }
        processes[plan.number] = plan
        plansByNumber[plan.number] = plan
        reportCursors(of: plan.tasks, in: plan.number)
    }

    /// Reports the tasks that begin at a cursor, as the decision loop does.
    private func reportCursors(of tasks: [PlannedTask], in launch: LaunchNumber) {
        var cursors: [TaskID: Int] = [:]
        for task in tasks {
            guard let identifier = task.work.cursorIdentifier else { continue }
            cursors[task.id] = ledger.cursor(at: CursorPlace(task.work.plugin, identifier))?.standstills
        }
        if reportsCursors, !cursors.isEmpty { inbox.append(.cursorsRead(launch, cursors)) }
    }

    private func hand(_ task: PlannedTask, to launch: LaunchNumber) {
        if !ledger.unfinished(of: launch).contains(where: { $0.number == task.work.number }) {
            complain("task \(task.id) is delivered before it is on disk")
        }
        if tasks(of: launch).contains(where: { $0.id == task.id }) {
            complain("two tasks of launch \(launch) are called \(task.id)")
        }
        arrivals[launch, default: []].append(task)
        reportCursors(of: [task], in: launch)
    }

    /// Complains about a launch before its time or without its conditions, unless a user requested it. Also complains
    /// about a launch of a plugin that is not installed.
    private func check(_ plan: LaunchPlan) {
        plansByNumber[plan.number] = plan
        for case .request(let pending) in plan.tasks.map(\.work) where !simulated.contains(pending.number) {
            let request = pending.request
            if let earliest = request.earliestBegin, earliest > clock.now.wall {
                complain("\(request.identifier) is launched before its earliest begin")
            }
            if let deadline = request.expiresAt, deadline <= clock.now.wall {
                complain("\(request.identifier) is launched after its deadline")
            }
            let afterInterruption = configuration.retryDelay * (1 << max(0, pending.retry.attempts - 1))
            let longest = max(afterInterruption, pending.retry.failures > 0 ? FailureRetry.longestDelay : .zero)
            if let delay = pending.retry.notBefore, delay > clock.now.wall, delay <= clock.now.wall + longest {
                complain("\(request.identifier) is launched before its delay is over")
            }
            if request.requiresExternalPower && !conditions.isOnExternalPower {
                complain("\(request.identifier) is launched without power")
            }
            if request.requiresNetwork && !conditions.hasNetwork {
                complain("\(request.identifier) is launched without network")
            }
            if conditions.isMemoryLow { complain("\(request.identifier) is launched while memory is short") }
            if conditions.isUseUnknown, plan.lane == .background {
                complain("\(request.identifier) is launched on a machine that nobody has looked at")
            }
            if conditions.isHot { complain("\(request.identifier) is launched while the machine is hot") }
            if request.kind == .healthResearch, request.protection != .none,
                conditions.containerLocks[pending.plugin] != false
            {
                complain("\(request.identifier) is launched while its container is locked")
            }
        }
        let isInstalled = installed.contains { entry in
            entry == plan.plugin || plan.lane == .transfer && entry.identifier == plan.plugin.identifier
        }
        if !isInstalled { complain("\(plan.plugin.identifier) is launched while not installed") }
    }

    func complain(_ text: String) { onComplaint(text) }

    // MARK: The end of a host

    private func die() {
        inbox = []
        actionsToLive = nil
        isWorking = false
        restart()
    }

    private func process(of launch: LaunchNumber) -> RunnerProcess {
        RunnerProcess(
            pid: Int32(truncatingIfNeeded: launch.rawValue),
            startTime: UInt64(bitPattern: launch.rawValue),
            boot: clock.now.boot,
            controlGroup: nil
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import Scheduling
import TaskModel

/// A host of the simulation: a real scheduler, the claims and the lease of its feeder, and a durable ledger.
struct ModelDaemon {
    /// An effect that the world performs later.
    enum Effect {
        case began(Claim)
        case ended(Claim)
        case recorded(Claim)
        case plan(LaunchPlan)
        case delivery(LaunchNumber, PlannedTask)
        case expire(LaunchNumber, [TaskID])
        case exit(LaunchNumber)
        case killed(LaunchNumber)
        case killTime(LaunchNumber, MonotonicTime?)
        case wake(MonotonicTime?, WallTime?)
    }

    // The ledger.
    private(set) var claims: [SubmissionNumber: Claim] = [:]
    private(set) var requests: [SubmissionNumber: PendingRequest] = [:]
    private(set) var journal: [ClaimedEntry] = []
    private(set) var acknowledged: Int64 = 0
    private var lastEntry: Int64 = 0
    private var lastSubmission = SubmissionNumber(rawValue: 0)
    private var lastLaunch = LaunchNumber(rawValue: 0)
    private var leases: [String: LeaseRecord] = [:]

    // The memory of the process.
    private var core: Scheduler
    private var running: [LaunchNumber: Set<SubmissionNumber>] = [:]
    private var answers: [UInt64: Bool] = [:]
    private var lastReply: UInt64 = 0
    /// The end of the trust that the scheduler has in the lease; nil without trust.
    private(set) var trustEnd: BootTime?
    private(set) var conditions = Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: true)
    private(set) var effects: [Effect] = []
    private(set) var eventCount = 0
    /// Whether the scheduler wrote a journal entry about a claimed request without its claim.
    private(set) var hasEntryWithoutClaim = false

    init(_ plugins: [PluginEntry], at now: Moment) {
        core = ModelDaemon.core(conditions, LedgerSnapshot(), at: now)
        send(.catalogued(CatalogueChange(to: Catalogue(plugins))), at: now)
    }

    private static func core(_ conditions: Conditions, _ snapshot: LedgerSnapshot, at now: Moment) -> Scheduler {
        var configuration = SchedulingConfiguration()
        configuration.limits.refresh = 10_000
        configuration.policies.stagger = .zero
        configuration.spacing = .zero
        configuration.backgroundLaunches = 4
        configuration.fleet.plugins = [PluginPattern("*")].compactMap(\.self)
        return Scheduler(configuration: configuration, conditions: conditions, snapshot: snapshot, at: now)
    }

    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// Starts a new process after a kill. Tasks that ran are pending again; trust is lost with the memory.
    mutating func restart(_ plugins: [PluginEntry], at now: Moment) {
        (running, answers, trustEnd, effects) = ([:], [:], nil, [])
        var snapshot = LedgerSnapshot(known: plugins.map { KnownPlugin($0) })
        snapshot.pendingPlugins = Set(requests.values.map(\.plugin)).sorted()
        snapshot.lastSubmission = lastSubmission
        snapshot.lastLaunch = lastLaunch
        snapshot.leases = leases.values.sorted { $0.name < $1.name }
        core = ModelDaemon.core(conditions, snapshot, at: now)
        send(.catalogued(CatalogueChange(to: Catalogue(plugins))), at: now)
    }

    /// The claims of tasks that run in this process.
    var runningClaims: [Claim] { running.values.flatMap { $0 }.compactMap { claims[$0] } }

    // MARK: The control API

    var openClaims: [OpenClaim] {
        claims.sorted { $0.key < $1.key }.compactMap { number, claim in
            requests[number].map { OpenClaim(claim: claim, key: ModelDaemon.key(of: $0)) }
        }
    }

    private static func key(of request: PendingRequest) -> FleetItem.Key {
        FleetItem.Key(plugin: request.plugin, identifier: request.request.identifier)
    }

    var keyCount: Int { Set(requests.values.map { ModelDaemon.key(of: $0) }).count }

    func entries(after number: Int64, limit: Int) -> [ClaimedEntry] {
        Array(journal.drop { $0.number <= number }.prefix(limit))
    }

    /// Number of tasks of a plugin that could start soon.
    func free(_ plugin: PluginIdentifier) -> Int {
        conditions.hasNetwork ? max(0, 2 - requests.values.count { $0.plugin == plugin }) : 0
    }

    mutating func setLease(end: BootTime, acknowledged: Int64, at now: Moment) {
        trustEnd = end
        self.acknowledged = max(self.acknowledged, acknowledged)
        journal.removeAll { $0.number <= self.acknowledged }
        let renewal = LeaseRenewal("fleet", owner: 0, trust: .until(end))
        lastReply += 1
        send(.leaseRenewed(renewal, reply: ReplyToken(rawValue: lastReply)), at: now)
    }

    mutating func submit(_ item: FleetItem, at now: Moment, boot: BootTime) -> SubmissionAnswer {
        if requests.values.contains(where: { ModelDaemon.key(of: $0) == item.key }) {
            return .refused(reason: "claim-exists", isPassing: true)
        }
        let isTrusted = trustEnd.map { boot < $0 } ?? false
        if !item.claim.isBound, !isTrusted { return .refused(reason: "lease-lost", isPassing: true) }
        if !item.claim.isBound, free(item.plugin) == 0 { return .refused(reason: "no-capacity-now", isPassing: true) }
        // The trust has ended, or has not begun.
        return submit(item.request, at: now) ? .accepted : .refused(reason: "lease-lost", isPassing: true)
    }

    private mutating func submit(_ request: TaskRequest, at now: Moment) -> Bool {
        lastReply += 1
        send(
            .submitted(Submission(request: request, submitter: .user), reply: ReplyToken(rawValue: lastReply)),
            at: now
        )
        return answers.removeValue(forKey: lastReply) ?? false
    }

    /// Ends the claims that the queue no longer assigns to this host.
    mutating func cancel(_ ended: [Claim], at now: Moment) {
        let lost = Set(ended)
        end(claims.filter { lost.contains($0.value) }.keys.sorted(), at: now)
    }

    // MARK: The lease

    /// Lets the scheduler end the unbound work when trust has ended.
    mutating func checkTrust(at now: Moment) {
        guard let end = trustEnd, now.bootTime >= end else { return }
        trustEnd = nil
        send(.timerFired, at: now)
    }

    private mutating func end(_ numbers: [SubmissionNumber], at now: Moment) {
        for number in numbers {
            guard let request = requests[number] else { continue }
            lastReply += 1
            let reply = ReplyToken(rawValue: lastReply)
            let identifier = request.request.identifier
            if running.values.contains(where: { $0.contains(number) }) {
                send(.taskStopRequested(identifier, reply: reply), at: now)
            } else {
                send(.cancelRequested(identifier, of: nil, reply: reply), at: now)
            }
        }
    }

    // MARK: The scheduler

    mutating func change(to conditions: Conditions, at now: Moment) {
        self.conditions = conditions
        send(.conditionsChanged(conditions), at: now)
    }

    mutating func send(_ event: SchedulerEvent, at now: Moment) {
        var inbox = [event]
        var index = 0
        while index < inbox.count {
            eventCount += 1
            if case .runnerEnded(let launch, _, _) = inbox[index] { endRuns(of: launch) }
            for action in core.handle(inbox[index], at: now) { perform(action, now, &inbox) }
            index += 1
        }
    }

    private mutating func perform(_ action: SchedulerAction, _ now: Moment, _ inbox: inout [SchedulerEvent]) {
        switch action {
        case .commit(let ticket, let changes):
            changes.forEach { write($0) }
            inbox.append(.committed(ticket))
        case .load(let plugin):
            let pending = requests.values.filter { $0.plugin == plugin }
            inbox.append(.loaded(PluginWork(plugin: plugin, requests: pending.sorted { $0.number < $1.number })))
        case .takeRunner(let launch, _):
            let process = RunnerProcess(pid: 1, startTime: 1, boot: now.boot, controlGroup: nil)
            inbox.append(.runnerReady(launch, process))
        case .sendPlan(let plan): begin(plan)
        case .deliver(let launch, let task):
            begin(task, in: launch)
            effects.append(.delivery(launch, task))
        case .expire(let launch, let tasks, _): effects.append(.expire(launch, tasks))
        case .stop(let launch): effects.append(.exit(launch))
        case .kill(let launch): effects.append(.killed(launch))
        case .setKillTime(let launch, let time): effects.append(.killTime(launch, time))
        case .wake(let monotonic, let wall): effects.append(.wake(monotonic, wall))
        case .answer(let reply, .submitted): answers[reply.rawValue] = true
        default: break
        }
    }

    private mutating func begin(_ plan: LaunchPlan) {
        lastLaunch = max(lastLaunch, plan.number)
        running[plan.number] = []
        for task in plan.tasks { begin(task, in: plan.number) }
        effects.append(.plan(plan))
    }

    private mutating func begin(_ task: PlannedTask, in launch: LaunchNumber) {
        guard let claim = claims[task.work.number] else { return }
        running[launch, default: []].insert(task.work.number)
        effects.append(.began(claim))
    }

    private mutating func endRuns(of launch: LaunchNumber) {
        for number in running.removeValue(forKey: launch) ?? [] {
            if let claim = claims[number] { effects.append(.ended(claim)) }
        }
    }

    // MARK: The ledger

    private mutating func write(_ change: LedgerChange) {
        switch change {
        case .storeRequest(let request, _):
            lastSubmission = max(lastSubmission, request.number)
            requests[request.number] = request
            claims[request.number] = request.request.claim?.claim
        case .requeueTask(let launch, let work, _):
            if case .request(let request) = work, requests[request.number] != nil {
                requests[request.number] = request
                if running[launch]?.remove(request.number) != nil, let claim = claims[request.number] {
                    effects.append(.ended(claim))
                }
            }
        case .journal(let entry):
            guard let number = entry.submission, entry.event.endsSubmission else { return }
            if entry.claim != claims[number] { hasEntryWithoutClaim = true }
            record(number, entry.event, isLeaseLost: entry.isLeaseLost)
        case .storeLease(let lease): leases[lease.name] = lease
        default: break
        }
    }

    private mutating func record(_ number: SubmissionNumber, _ event: JournalEntry.Event, isLeaseLost: Bool) {
        requests[number] = nil
        guard let claim = claims.removeValue(forKey: number) else { return }
        for launch in running.keys where running[launch]?.remove(number) != nil { effects.append(.ended(claim)) }
        lastEntry += 1
        let ending = ClaimEnding(event, isLeaseLost: isLeaseLost)
        if case .finished = ending { effects.append(.recorded(claim)) }
        journal.append(ClaimedEntry(number: lastEntry, claim: claim, ending: ending))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

/// A plain model of a host, written from the semantics: it answers every question from all facts, without indexes.
///
/// It makes no decisions. It observes all events and actions, reads the contents of the disk from the ledger, and
/// complains about every action that the semantics forbid or that is missing. Its rules are written apart from those of
/// the scheduler, whose types and state it reads.
final class NaiveHost: Witness {
    unowned let host: SchedulerDriver
    var complain: (String) -> Void

    var conditions: Conditions
    var isStopping = false
    var launches: [LaunchNumber: SeenLaunch] = [:]
    /// Launches of the previous host whose plugins are not loaded yet. They are judged at the load.
    var leftLaunches: [LaunchNumber: SeenLaunch] = [:]
    /// Launches for which a runner was requested and is not used yet.
    var preparing: Set<LaunchNumber> = []
    /// Commits in flight, with their changes.
    var underWay: [Ticket: [LedgerChange]] = [:]

    // Requests of callers.
    var asked: Submission?
    /// The ticket whose changes were judged last in the current event; nil before the first one.
    var asking: Ticket?
    var questions: [ReplyToken: SchedulerEvent] = [:]
    var userRequested: Set<SubmissionNumber> = []
    /// The submissions that each simulated launch request added to `userRequested`, by reply token. They are removed if
    /// the simulation fails.
    private var userRequestedByReply: [ReplyToken: Set<SubmissionNumber>] = [:]
    /// Reply tokens of submissions from a launch in the foreground.
    var fromForeground: Set<ReplyToken> = []
    var origins: [SubmissionNumber: LaunchNumber] = [:]
    var stopped: Set<TaskIdentifier> = []
    var stoppedLaunches: Set<LaunchNumber> = []
    /// Submissions that each unanswered cancellation will end, by reply token.
    var dying: [ReplyToken: Set<SubmissionNumber>] = [:]

    /// Pushes in the journal by fate, and the number of journal entries that are counted.
    private var pushes: [PushFate: Int] = [:]
    private var countedEntries = 0
    /// The valid device tokens, and the unanswered calls that change them.
    var tokens: [PluginIdentifier: PushToken] = [:]
    var tokenCalls: [ReplyToken: TokenCall] = [:]
    /// The answers to pushes with an identifier.
    var keptAnswers: [PluginIdentifier: [PushIdentity: KeptAnswer]] = [:]

    // Cursors.
    /// The place of the cursor that each submission's task wrote.
    var cursorWriters: [SubmissionNumber: CursorPlace] = [:]
    /// The newest submission of each place whose task this host has started.
    var newestStarted: [CursorPlace: SubmissionNumber] = [:]
    /// Unanswered calls of users to delete a cursor.
    var clearing: [ReplyToken: CursorPlace] = [:]
    /// Submissions that were requeued to continue at their cursor. After a used budget they are not interrupted ones.
    var continuing: Set<SubmissionNumber> = []

    // The history on which policies decide.
    var startupWaves: [(at: MonotonicTime, isNetwork: Bool)] = [(MonotonicTime(nanoseconds: 0), false)]
    var past: [PastLaunch] = []
    var dayUses: [DayUse] = []
    var rests: [PluginIdentifier: MonotonicTime] = [:]
    /// Times since which only advisory reasons have certainly delayed a request. `heldPerhaps` has the times since
    /// which they possibly have.
    var heldSurely: [SubmissionNumber: WallTime] = [:]
    var heldPerhaps: [SubmissionNumber: WallTime] = [:]
    /// Retry delays that were computed by a clock that was ahead, by submission. They are found when the clock is set
    /// back, and when work is loaded or requeued.
    var voidCooldowns: [SubmissionNumber: WallTime] = [:]
    /// End of the delay after a launch that failed because of the host, by plugin.
    var trouble: [PluginIdentifier: MonotonicTime] = [:]
    var failures: [PluginIdentifier: Int] = [:]
    var lastRelief: MonotonicTime?
    private var lastWall = WallTime(nanoseconds: .min)
    /// Whether the current event changed the use of capacity: it committed the end of a launch, rolled back its start,
    /// stopped it, moved it to another lane, or requested a runner.
    var capacityChangedHands = false

    // Submissions that must never run again, and submissions that ran.
    var acknowledged: Set<SubmissionNumber> = []
    var dead: Set<SubmissionNumber> = []
    var delivered: Set<SubmissionNumber> = []

    /// Expirations that the current event requires, by task.
    var expected: [TaskID: ExpirationReason] = [:]
    /// Counts of the events and checks of the walk.
    var tally = WalkTally()

    init(watching host: SchedulerDriver, complain: @escaping (String) -> Void) {
        self.host = host
        self.complain = complain
        conditions = host.conditions
    }

    var now: Moment { host.clock.now }
    var configuration: SchedulingConfiguration { host.configuration }
    func policy(_ plugin: PluginIdentifier) -> PluginPolicy { configuration.plugins[plugin] ?? PluginPolicy() }
    func isOff(_ policy: Policy) -> Bool { configuration.policies.off.contains(policy) }
    func entry(_ plugin: PluginIdentifier) -> PluginEntry? { host.installed.first { $0.identifier == plugin } }
    func gracePeriod(of launch: SeenLaunch) -> Duration { launch.plan.budget.gracePeriod }

    // MARK: Witness

    func willHandle(_ event: SchedulerEvent) {
        if now.wall < lastWall { clockWasSetBack() }
        lastWall = now.wall
        noteOldPushAnswers()
        expected = [:]
        (capacityChangedHands, asking) = (false, nil)
        tally.note(event)
        asked = nil
        switch event {
        case .submitted(let submission, let reply):
            asked = submission
            questions[reply] = event
            if isForeground(submission) { fromForeground.insert(reply) }
        case .runRequested(let identifiers, let reply):
            questions[reply] = event
            noteUserRequest(identifiers, reply)
        case .loaded(let work): willLoad(work)
        case .taskStopRequested(let identifier, let reply):
            questions[reply] = event
            stopped.insert(identifier)
        case .expirationSimulated(_, let reply), .pushed(_, let reply): questions[reply] = event
        case .pushTokenChangeRequested(let plugin, let change, _, let reply):
            tokenCalls[reply] = TokenCall(plugin: plugin, change: change)
        case .launchStopRequested(let number, _): stoppedLaunches.insert(number)
        case .cursorClearRequested(let identifier, let plugin, let reply):
            clearing[reply] = CursorPlace(plugin, identifier)
        case .cancelRequested(let identifier, let plugin?, _, _, let reply):
            dying[reply] = meant(by: plugin) { $0 == identifier }
        case .cancelAllRequested(let plugin, _, let reply): dying[reply] = meant(by: plugin) { _ in true }
        case .committed(let ticket): committed(ticket)
        case .commitFailed(let ticket, _): failed(ticket)
        case .conditionsChanged(let new): change(to: new)
        case .resumed: noteStartupWave(isNetwork: false)
        case .stopRequested: isStopping = true
        case .runnerUnavailable(let number, _): preparing.remove(number)
        default: hear(event)
        }
        if case .runnerUnavailable(let number, _) = event { noteTrouble(ofPrepared: number) }
    }

    private func noteUserRequest(_ identifiers: [TaskIdentifier], _ reply: ReplyToken) {
        let numbers = host.ledger.requests.filter { identifiers.contains($0.request.identifier) }.map(\.number)
        userRequestedByReply[reply] = Set(numbers).subtracting(userRequested)
        userRequested.formUnion(numbers)
    }

    /// Judges the launches that the previous host left of a plugin when its work is loaded.
    private func willLoad(_ work: PluginWork) {
        guard host.scheduler.loading.isMissing(work.plugin) else { return }
        for number in leftLaunches.filter({ $0.value.plugin == work.plugin }).keys {
            launches[number] = leftLaunches.removeValue(forKey: number)
            leaveBehind(number)
        }
        noteVoidCooldowns(work.requests.map(PendingWork.request) + work.events.map(PendingWork.event))
        for request in work.requests {
            // A request that became due by a clock that was ahead counts from the load; the host did not know it
            // earlier.
            let due = dueTime(of: request)
            if request.deferredSince == nil, let surely = heldSurely[request.number], surely < due {
                heldSurely[request.number] = min(due, now.wall)
            }
            guard let since = heldSince(request) else { continue }
            heldPerhaps[request.number] = notAfterPresent(min(heldPerhaps[request.number] ?? since, since))
        }
    }

    /// Adapts the noted starts of deferrals after the clock was set back. A certain start in the future is dropped; a
    /// possible start at the present or in the future becomes 1 ns before the present.
    private func clockWasSetBack() {
        let now = now.wall
        heldSurely = heldSurely.filter { $0.value <= now }
        heldPerhaps = heldPerhaps.mapValues { notAfterPresent($0) }
        let pending = host.ledger.requests.map(PendingWork.request) + host.ledger.events.map(PendingWork.event)
        noteVoidCooldowns(pending.filter { !host.scheduler.loading.isMissing($0.plugin) })
    }

    func didDecide(_ event: SchedulerEvent, _ actions: [SchedulerAction]) {
        for action in actions {
            switch action {
            case .commit(let ticket, let changes):
                underWay[ticket] = changes
                judge(changes, of: ticket, after: event)
            case .answer(let reply, let answer): heard(answer, to: reply)
            case .takeRunner(let number, _):
                preparing.insert(number)
                capacityChangedHands = true
            case .dismissRunner(let number): preparing.remove(number)
            case .sendPlan(let plan): sent(plan)
            case .deliver(let number, let task): handed(task, to: number)
            case .expire(let number, let ids, let reason): expired(number, ids, because: reason, by: event)
            case .expireAssertions(let number, let reason): assertionsExpired(number, because: reason, by: event)
            case .stop(let number): finished(number)
            case .kill(let number): killed(number, after: event)
            case .yieldCursor(let number, let id): yielded(id, in: number, among: actions)
            case .load, .confineRunner, .setKillTime, .wake, .watch, .discardContainer, .sweepTransfers,
                .stopped:
                break
            }
        }
        noteStarts(in: actions)
        noteHolds()
        for (task, reason) in expected { complain("task \(task) has not expired with \(reason.name)") }
    }

    func didWrite(_ changes: [LedgerChange]) {
        for case .journal(let entry) in changes {
            written(entry)
            tally.note(entry)
            guard let number = entry.submission else { continue }
            switch entry.event {
            case .cancelled, .replaced, .superseded, .consumed, .lapsed: dead.insert(number)
            case .task(let outcome) where outcome.isFinal: dead.insert(number)
            default: break
            }
        }
        countPushes(in: changes)
        noteTokens(in: changes)
        notePushAnswers(in: changes)
    }

    /// Complains if the fates of the pushes in the journal, those that are only counted, and the pushes in the ledger do
    /// not add up.
    private func countPushes(in changes: [LedgerChange]) {
        let entries = host.ledger.journal[countedEntries...].compactMap(\.pushes)
        countedEntries = host.ledger.journal.count
        for (fate, count) in entries { pushes[fate, default: 0] += count }
        let isCounting = changes.contains { if case .countPushes = $0 { true } else { false } }
        if entries.isEmpty, !isCounting { return }
        var total = pushes
        for (fate, count) in host.ledger.pushSums.values.joined().flatMap(\.counts) {
            total[fate, default: 0] += count
        }
        let running = host.ledger.runningLaunches.flatMap { host.ledger.unfinished(of: $0) }
        let left = (host.ledger.requests.map(PendingWork.request) + running).count { $0.kind == .push }
        let ended = total.reduce(0) { $0 + ($1.key == .accepted ? 0 : $1.value) }
        if total[.accepted, default: 0] != ended + left {
            complain("the accepted pushes are not \(left) unfinished ones and those that ended: \(total)")
        }
    }

    func didSettle() {}

    /// Drops all facts that the host kept only in memory: user-requested launches, origins of requests, spacings.
    func didRestart() {
        tally.restarts += 1
        conditions = host.conditions
        (isStopping, asked, expected, lastRelief) = (false, nil, [:], nil)
        (underWay, questions, preparing, userRequested, origins, stopped) = ([:], [:], [], [], [:], [])
        (stoppedLaunches, tokenCalls) = ([], [:])
        (newestStarted, clearing) = ([:], [:])
        (userRequestedByReply, fromForeground) = ([:], [])
        (dying, voidCooldowns) = ([:], [:])
        (rests, trouble, failures) = ([:], [:], [:])
        startupWaves = [(MonotonicTime(nanoseconds: 0), false)]
        let snapshot = host.ledger.snapshot
        (past, dayUses) = ([], [])
        for launch in snapshot.past { remember(launch) }
        let pending = host.ledger.requests.compactMap { request in heldSince(request).map { (request.number, $0) } }
        let running = snapshot.running.flatMap(\.unfinished).compactMap { work -> (SubmissionNumber, WallTime)? in
            guard case .request(let request) = work else { return nil }
            return request.deferredSince.map { (work.number, $0) }
        }
        let held = Dictionary(uniqueKeysWithValues: pending + running)
        // A deferral that began by a clock that was ahead counts from the load, at the latest.
        heldSurely = held.filter { $0.value <= now.wall }
        heldPerhaps = held.mapValues { notAfterPresent($0) }
        leftLaunches.merge(launches) { old, _ in old }
        leftLaunches = leftLaunches.filter { number, _ in host.ledger.runningLaunches.contains(number) }
        launches = [:]
    }

    /// The start of a deferral; 1 ns before the present for a start at the present or in the future. A deferral that
    /// ends at the present began before it.
    private func notAfterPresent(_ since: WallTime) -> WallTime {
        since < now.wall ? since : now.wall + .nanoseconds(-1)
    }

    /// Wall time at which the deferral of a request began, as the ledger has it; nil if it is not deferred. A start
    /// stored with the request takes precedence over the periods of its class. The start may be in the future, if the
    /// clock was ahead then.
    private func heldSince(_ request: PendingRequest) -> WallTime? {
        if let since = request.deferredSince { return since }
        let key = WaitKey(of: .request(request))
        guard (request.due(at: now, configuration)) == nil else { return nil }
        return host.ledger.deferrals[key].flatMap { periods in
            Deferral(periods: periods).start(for: dueTime(of: request))
        }
    }

    /// The time at which the request becomes due: the latest of its submission, its earliest begin and the end of its
    /// retry delay, as recorded. It may be in the future, if the clock was ahead then.
    private func dueTime(of request: PendingRequest) -> WallTime {
        [request.request.earliestBegin, request.retry.notBefore].compactMap { $0 }
            .reduce(request.submittedAt) { max($0, $1) }
    }

    /// Submissions that a cancellation affects: pending, running and uncommitted ones. A running task continues but is
    /// never requeued (C3).
    private func meant(by plugin: PluginIdentifier, _ matches: (TaskIdentifier) -> Bool) -> Set<SubmissionNumber> {
        let main = mainPlugin(of: plugin) ?? plugin
        let ledger = host.ledger
        let running = ledger.runningLaunches.flatMap { ledger.unfinished(of: $0) }
        let accepted = underWay.values.joined().compactMap { change in
            if case .storeRequest(let request, _) = change { PendingWork.request(request) } else { nil }
        }
        let works = ledger.requests.map(PendingWork.request) + running + accepted
        return Set(works.filter { $0.plugin == main && ($0.identifier.map(matches) ?? false) }.map(\.number))
    }

    // MARK: Answers

    private func heard(_ answer: Answer, to reply: ReplyToken) {
        let question = questions.removeValue(forKey: reply)
        clearing[reply] = nil
        if let call = tokenCalls.removeValue(forKey: reply) { judge(answer, to: call) }
        if case .pushed(let push, _)? = question { judge(answer, to: push) }
        // A number that was never written may be assigned again.
        let killed = dying.removeValue(forKey: reply)?.filter { host.ledger.everStored.contains($0) }
        if case .cancelled = answer { dead.formUnion(killed ?? []) }
        switch (answer, question) {
        case (.submitted(let number, _, _), _), (.triggered(let number), _),
            (.pushed(let number, .stored, _), _):
            acknowledged.insert(number)
        case (.refused(let refusal), .submitted(let submission, _)?): judge(refusal, of: submission, reply)
        case (.notLaunching, _): userRequested.subtract(userRequestedByReply[reply] ?? [])
        default: break
        }
    }
}

/// The running time of one background launch, for the day budget.
struct DayUse {
    let plugin: PluginIdentifier
    let at: WallTime
    let used: Duration
    var isSure = true
}

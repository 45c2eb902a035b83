// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

/// A host as the semantics tell of one, as plainly as possible: every question looks at everything anew.
///
/// It decides nothing and knows nothing of how the scheduler does. It is told what goes in, sees what comes out, believes
/// the ledger what is on disk, and complains of whatever the semantics do not allow or demand in vain.
final class NaiveHost: Witness {
    unowned let host: SchedulerDriver
    var complain: (String) -> Void

    var conditions: Conditions
    var isStopping = false
    var launches: [LaunchNumber: SeenLaunch] = [:]
    /// Launches of the host before, whose plugin is not loaded: nothing is decided about them.
    var leftLaunches: [LaunchNumber: SeenLaunch] = [:]
    /// Runners that were asked for and not used yet.
    var preparing: Set<LaunchNumber> = []
    /// Commits on their way.
    var underWay: [Ticket: [LedgerChange]] = [:]

    // What callers said.
    var asked: Submission?
    /// The ticket that is being judged.
    var asking: Ticket?
    var questions: [ReplyToken: SchedulerEvent] = [:]
    var wishes: Set<SubmissionNumber> = []
    /// The wishes that each simulation added; those of one that comes to nothing are taken back.
    private var wishesOfReplies: [ReplyToken: Set<SubmissionNumber>] = [:]
    /// Submissions that came from a launch in the foreground.
    var fromForeground: Set<ReplyToken> = []
    var origins: [SubmissionNumber: LaunchNumber] = [:]
    var stopped: Set<TaskIdentifier> = []
    /// What a cancellation that is not answered yet will have killed.
    var dying: [ReplyToken: Set<SubmissionNumber>] = [:]

    // What policies look back on.
    var surges: [(at: MonotonicTime, isNetwork: Bool)] = [(MonotonicTime(nanoseconds: 0), false)]
    var past: [PastLaunch] = []
    var dayUses: [DayUse] = []
    var rests: [PluginIdentifier: MonotonicTime] = [:]
    /// Since when a request was surely, and perhaps, held back by nothing but what is soft.
    var heldSurely: [SubmissionNumber: WallTime] = [:]
    var heldPerhaps: [SubmissionNumber: WallTime] = [:]
    /// Rests that a clock ahead had given when it was set back, or when the work was loaded or came back (C3).
    var voidRests: [SubmissionNumber: WallTime] = [:]
    /// The host could not have what it needed for that plugin, and waits until then.
    var trouble: [PluginIdentifier: MonotonicTime] = [:]
    var failures: [PluginIdentifier: Int] = [:]
    var lastRelief: MonotonicTime?
    private var lastWall = WallTime(nanoseconds: .min)
    /// The event under way ended a launch, or had one prepared.
    var roomChangedHands = false

    // What must never run again, and what did run.
    var acknowledged: Set<SubmissionNumber> = []
    var dead: Set<SubmissionNumber> = []
    var delivered: Set<SubmissionNumber> = []

    /// What the event under way has to expire, by task.
    var expected: [TaskID: ExpirationReason] = [:]
    /// What went in.
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
    func grace(of launch: SeenLaunch) -> Duration { launch.plan.budget.grace }

    // MARK: Witness

    func willHandle(_ event: SchedulerEvent) {
        if now.wall < lastWall { clockWasSetBack() }
        lastWall = now.wall
        expected = [:]
        (roomChangedHands, asking) = (false, nil)
        tally.note(event)
        asked = nil
        switch event {
        case .submitted(let submission, let reply):
            asked = submission
            questions[reply] = event
            if isForeground(submission) { fromForeground.insert(reply) }
        case .launchSimulated(let identifiers, let reply):
            questions[reply] = event
            wish(identifiers, reply)
        case .loaded(let work): willLoad(work)
        case .taskStopRequested(let identifier, let reply), .expirationSimulated(let identifier, let reply):
            questions[reply] = event
            stopped.insert(identifier)
        case .cancelRequested(let identifier, let plugin?, _, let reply):
            dying[reply] = meant(by: plugin) { $0 == identifier }
        case .cancelAllRequested(let plugin, _, let reply): dying[reply] = meant(by: plugin) { _ in true }
        case .committed(let ticket): committed(ticket)
        case .commitFailed(let ticket, _): failed(ticket)
        case .conditionsChanged(let new): change(to: new)
        case .resumed: surge(isNetwork: false)
        case .stopRequested: isStopping = true
        case .runnerUnavailable(let number, _): preparing.remove(number)
        default: hear(event)
        }
        if case .runnerUnavailable(let number, _) = event { noteTrouble(ofPrepared: number) }
    }

    private func wish(_ identifiers: [TaskIdentifier], _ reply: ReplyToken) {
        let numbers = host.ledger.requests.filter { identifiers.contains($0.request.identifier) }.map(\.number)
        wishesOfReplies[reply] = Set(numbers).subtracting(wishes)
        wishes.formUnion(numbers)
    }

    /// The launches that the last host left of a plugin are judged with its load.
    private func willLoad(_ work: PluginWork) {
        guard host.scheduler.loading.isMissing(work.plugin) else { return }
        for number in leftLaunches.filter({ $0.value.plugin == work.plugin }).keys {
            launches[number] = leftLaunches.removeValue(forKey: number)
            leaveBehind(number)
        }
        noteVoidRests(work.requests.map(PendingWork.request) + work.events.map(PendingWork.event))
        for request in work.requests {
            // What became due by a clock that was ahead counts from the load: until then nobody knows of the request.
            let due = dueTime(of: request)
            if request.deferredSince == nil, let surely = heldSurely[request.number], surely < due {
                heldSurely[request.number] = min(due, now.wall)
            }
            guard let since = heldSince(request) else { continue }
            heldPerhaps[request.number] = min(heldPerhaps[request.number] ?? since, since, now.wall)
        }
    }

    /// A deferral that began in what is the future now is no reason to wait for that time to come again.
    private func clockWasSetBack() {
        let now = now.wall
        heldSurely = heldSurely.filter { $0.value <= now }
        heldPerhaps = heldPerhaps.mapValues { min($0, now) }
        let pending = host.ledger.requests.map(PendingWork.request) + host.ledger.events.map(PendingWork.event)
        noteVoidRests(pending.filter { !host.scheduler.loading.isMissing($0.plugin) })
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
                roomChangedHands = true
            case .dismissRunner(let number): preparing.remove(number)
            case .sendPlan(let plan): sent(plan)
            case .deliver(let number, let task): handed(task, to: number)
            case .expire(let number, let ids, let reason): expired(number, ids, because: reason, by: event)
            case .expireAssertions(let number, let reason): assertionsExpired(number, because: reason)
            case .finish(let number): finished(number)
            case .kill(let number): killed(number, after: event)
            case .load, .setKillTime, .wake, .watch, .discardContainer, .stopped: break
            }
        }
        noteHolds()
        for (task, reason) in expected { complain("task \(task) is not told of \(reason.name)") }
    }

    func didWrite(_ changes: [LedgerChange]) {
        for case .journal(let entry) in changes {
            written(entry)
            guard let number = entry.submission else { continue }
            switch entry.event {
            case .cancelled, .replaced, .superseded, .consumed: dead.insert(number)
            case .task(let outcome) where outcome.isFinal: dead.insert(number)
            default: break
            }
        }
    }

    func didSettle() {}

    /// What nobody wrote down is forgotten: wishes, origins, rests.
    func didRestart() {
        tally.restarts += 1
        conditions = host.conditions
        (isStopping, asked, expected, lastRelief) = (false, nil, [:], nil)
        (underWay, questions, preparing, wishes, origins, stopped) = ([:], [:], [], [], [:], [])
        (wishesOfReplies, fromForeground) = ([:], [])
        (dying, voidRests) = ([:], [:])
        (rests, trouble, failures) = ([:], [:], [:])
        surges = [(MonotonicTime(nanoseconds: 0), false)]
        let snapshot = host.ledger.snapshot
        (past, dayUses) = ([], [])
        for launch in snapshot.past { remember(launch) }
        let pending = host.ledger.requests.compactMap { request in heldSince(request).map { (request.number, $0) } }
        let running = snapshot.running.flatMap(\.unfinished).compactMap { work -> (SubmissionNumber, WallTime)? in
            guard case .request(let request) = work else { return nil }
            return request.deferredSince.map { (work.number, $0) }
        }
        let held = Dictionary(uniqueKeysWithValues: pending + running)
        // One that began by a clock that was ahead counts from some moment later.
        heldSurely = held.filter { $0.value <= now.wall }
        heldPerhaps = held.mapValues { min($0, now.wall) }
        leftLaunches.merge(launches) { old, _ in old }
        leftLaunches = leftLaunches.filter { number, _ in host.ledger.runningLaunches.contains(number) }
        launches = [:]
    }

    /// As the ledger has it: of its own, or of the periods of its class.
    private func heldSince(_ request: PendingRequest) -> WallTime? {
        if let since = request.deferredSince { return since }
        let due = min(dueTime(of: request), now.wall)
        let key = WaitKey(of: .request(request))
        guard (request.due(at: now, configuration)) == nil else { return nil }
        return host.ledger.deferrals[key].flatMap { periods in
            var deferral = Deferral(periods: periods)
            deferral.reckonAnew(at: now.wall)
            return deferral.start(for: due)
        }
    }

    /// By the clock of its time.
    private func dueTime(of request: PendingRequest) -> WallTime {
        [request.request.earliestBegin, request.retry.notBefore].compactMap { $0 }
            .reduce(request.submittedAt) { max($0, $1) }
    }

    /// What runs may go on, but never comes back (C3).
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
        // The number of what was never written may be given again.
        let killed = dying.removeValue(forKey: reply)?.filter { host.ledger.everStored.contains($0) }
        if case .cancelled = answer { dead.formUnion(killed ?? []) }
        switch (answer, question) {
        case (.submitted(let number, _, _), _), (.triggered(let number), _): acknowledged.insert(number)
        case (.refused(let refusal), .submitted(let submission, _)?): judge(refusal, of: submission, reply)
        case (.notLaunching, _): wishes.subtract(wishesOfReplies[reply] ?? [])
        default: break
        }
    }
}

/// Running time of one background launch.
struct DayUse {
    let plugin: PluginIdentifier
    let at: WallTime
    let used: Duration
    var isSure = true
}

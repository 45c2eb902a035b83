// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// A ledger in memory, as strict as the real one: a change that contradicts its contents fails the whole ticket.
///
/// It also checks the commits of the scheduler. Each violation of a rule adds a complaint.
struct LedgerInMemory {
    struct Contradiction: Error { let message: String }

    private struct StoredLaunch {
        let plan: LaunchPlan
        var lane: Lane
        var tasks: [PendingWork]
        var unfinished: [PendingWork]
        var mayNotBeRequeued: Set<SubmissionNumber> = []
        var outcomes: [SubmissionNumber: Int] = [:]
    }

    private struct State {
        var requests: [SubmissionNumber: PendingRequest] = [:]
        var events: [SubmissionNumber: PendingEvent] = [:]
        var payloads: [SubmissionNumber: [UInt8]] = [:]
        var running: [LaunchNumber: StoredLaunch] = [:]
        var known: [PluginIdentifier: KnownPlugin] = [:]
        var past: [PastLaunch] = []
        var waits: [WaitKey: Set<String>] = [:]
        var deferrals: [WaitKey: [DeferralPeriod]] = [:]
        var fetches: [PluginIdentifier: FetchSchedule] = [:]
        var occurrences: [TaskIdentifier: WallTime] = [:]
        var pauses: [PluginIdentifier: PluginPause] = [:]
        var uses: [PluginIdentifier: UseHistogram] = [:]
        var pushSums: [PluginIdentifier: [UInt32?: PushSum]] = [:]
        var pushAnswers: [PluginIdentifier: [AnsweredPush]] = [:]
        var alerts: [SubmissionNumber: PendingAlert] = [:]
        var shown: [ShownNotification] = []
        var leases: [String: LeaseRecord] = [:]
        var pushTokens: [PluginIdentifier: PushToken] = [:]
        var cursors: [CursorPlace: CursorRecord] = [:]
        var transfers: [SubmissionNumber: Transfer] = [:]
        /// Submissions whose present launch has moved their cursor.
        var moved: Set<SubmissionNumber> = []
        var lastSubmission = SubmissionNumber(rawValue: 0)
        var lastLaunch = LaunchNumber(rawValue: 0)

        var present: Set<SubmissionNumber> {
            Set(requests.keys).union(events.keys).union(running.values.flatMap { $0.unfinished.map(\.number) })
        }
    }

    private var state = State()
    /// The running tasks whose last write discarded their cursor.
    private var discarding: Set<TaskID> = []
    private(set) var journal: [JournalEntry] = []
    private var journaled: Set<SubmissionNumber> = []
    /// Every number under which a request or an event was ever stored.
    private(set) var everStored: Set<SubmissionNumber> = []
    /// Submissions that left the ledger without a journal entry about the reason.
    private(set) var unexplained: Set<SubmissionNumber> = []
    private(set) var complaints: [String] = []

    var requests: [PendingRequest] { state.requests.values.sorted { $0.number < $1.number } }
    var events: [PendingEvent] { state.events.values.sorted { $0.number < $1.number } }
    var known: [PluginIdentifier: KnownPlugin] { state.known }
    var runningLaunches: Set<LaunchNumber> { Set(state.running.keys) }

    /// Codes of the reasons of the open waits, by plugin and class.
    var waits: [WaitKey: Set<String>] { state.waits }
    var deferrals: [WaitKey: [DeferralPeriod]] { state.deferrals }
    var fetches: [PluginIdentifier: FetchSchedule] { state.fetches }
    var pauses: [PluginIdentifier: PluginPause] { state.pauses }
    var uses: [PluginIdentifier: UseHistogram] { state.uses }
    /// The pushes without a journal entry.
    var pushSums: [PluginIdentifier: [PushSum]] {
        state.pushSums.mapValues { sums in sums.values.sorted { $0.last < $1.last } }
    }
    /// The answers to pushes with an identifier.
    var pushAnswers: [PluginIdentifier: [AnsweredPush]] { state.pushAnswers }
    var pushTokens: [PluginIdentifier: PushToken] { state.pushTokens }
    /// The notifications of alert pushes, in the order of the feed.
    var shown: [ShownNotification] { state.shown }
    var leases: [String: LeaseRecord] { state.leases }
    var occurrences: [TaskIdentifier: WallTime] { state.occurrences }
    /// The recorded transfers, ordered by number.
    var transfers: [Transfer] { state.transfers.values.sorted { $0.number < $1.number } }
    /// The tasks with a cursor, and the numbers of runs in a row that did not move it.
    var cursors: [TaskIdentifier: Int] {
        Dictionary(state.cursors.map { ($0.key.identifier, $0.value.standstills) }, uniquingKeysWith: max)
    }
    func cursor(at place: CursorPlace) -> CursorRecord? { state.cursors[place] }
    /// Deletes a cursor, as the commit of a discarded one does. The contents never reach the scheduler.
    mutating func discardCursor(of identifier: TaskIdentifier) {
        state.cursors = state.cursors.filter { $0.key.identifier != identifier }
    }
    /// Notes a write of a task, whose contents the next commit of its cursor stores.
    mutating func noteWrite(_ write: CursorWrite, of task: TaskID) {
        switch write {
        case .discarded: discarding.insert(task)
        case .moved, .unmoved: discarding.remove(task)
        case .repeated: break
        }
    }
    /// Keys of open waits of classes without pending work; each of them is a defect.
    var vainWaits: [WaitKey] { state.waits.keys.filter { !hasPendingWork(of: $0) } }

    /// Every recorded change of a wait, with the codes of the reasons from then on; an empty list ends the wait.
    private(set) var waitHistory: [(key: WaitKey, reasons: [String], at: WallTime)] = []

    private func hasPendingWork(of key: WaitKey) -> Bool {
        if key.workClass.kind == .event { return state.events.values.contains { $0.plugin == key.plugin } }
        return state.requests.values.contains { request in
            request.plugin == key.plugin && WorkClass(of: request.request) == key.workClass
        }
    }

    /// Whether the submission is pending or running.
    func isPresent(_ number: SubmissionNumber) -> Bool {
        state.requests[number] != nil || state.events[number] != nil
            || state.running.values.contains { $0.unfinished.contains { $0.number == number } }
    }

    func request(_ number: SubmissionNumber) -> PendingRequest? { state.requests[number] }
    func unfinished(of launch: LaunchNumber) -> [PendingWork] { state.running[launch]?.unfinished ?? [] }
    func hasJournaled(_ number: SubmissionNumber) -> Bool { journaled.contains(number) }
    func payload(of number: SubmissionNumber) -> [UInt8]? { state.payloads[number] }

    var snapshot: LedgerSnapshot {
        LedgerSnapshot(
            pendingPlugins: Set(requests.map(\.plugin) + events.map(\.plugin) + transfers.map(\.plugin)).sorted(),
            running: state.running.values.sorted { $0.plan.number < $1.plan.number }.map { launch in
                LedgerSnapshot.UnfinishedLaunch(
                    number: launch.plan.number,
                    plugin: launch.plan.plugin.identifier,
                    lane: launch.lane,
                    process: launch.plan.process,
                    startedAt: launch.plan.startedAt,
                    unfinished: launch.unfinished,
                    mayNotBeRequeued: launch.mayNotBeRequeued,
                    moved: state.moved.intersection(launch.unfinished.map(\.number))
                )
            },
            known: state.known.values.sorted { $0.identifier < $1.identifier },
            past: state.past,
            fetches: state.fetches,
            occurrences: state.occurrences,
            pauses: state.pauses,
            uses: state.uses,
            pushSums: pushSums,
            pushAnswers: pushAnswers,
            pushTokenHolders: Set(state.pushTokens.keys),
            alerts: state.alerts.values.sorted { $0.number < $1.number },
            leases: state.leases.values.sorted { $0.name < $1.name },
            lastSubmission: state.lastSubmission,
            lastLaunch: state.lastLaunch
        )
    }

    func work(of plugin: PluginIdentifier) -> PluginWork {
        let waits = state.waits.filter { $0.key.plugin == plugin }.map { ($0.key.workClass, $0.value) }
        let deferrals = state.deferrals.filter { $0.key.plugin == plugin }.map { ($0.key.workClass, $0.value) }
        return PluginWork(
            plugin: plugin,
            requests: requests.filter { $0.plugin == plugin },
            events: events.filter { $0.plugin == plugin },
            waits: Dictionary(uniqueKeysWithValues: waits),
            deferrals: Dictionary(uniqueKeysWithValues: deferrals),
            transfers: transfers.filter {
                $0.plugin == plugin && ($0.endedAt == nil || $0.file != nil && !$0.isTaken)
            }
        )
    }

    /// Makes the state valid after a simulated crash between a removal and its journal entry: earlier removals need no
    /// entry any more, and waits of classes without pending work are dropped, as by opening the real ledger.
    mutating func acceptCrash() {
        journaled.formUnion(unexplained)
        for number in vainWaits { state.waits[number] = nil }
        unexplained = []
    }

    /// Applies all changes, or throws and applies none of them.
    mutating func apply(_ changes: [LedgerChange], limits: (PluginIdentifier) -> PendingLimits) throws {
        var new = state
        var entries: [JournalEntry] = []
        for change in changes {
            switch change {
            case .journal(let entry):
                entries.append(entry)
                count(entry, in: &new)
                if let number = entry.submission { new.lastSubmission = max(new.lastSubmission, number) }
            case .requeueTask(let launch, let work, let now):
                if let newer = try comeBack(work, from: launch, to: &new) {
                    entries.append(.superseded(work, by: newer, launch: launch, at: now))
                }
            default: try apply(change, to: &new)
            }
        }
        for case .storeRequest(let request, _) in changes {
            checkLimit(limits(request.plugin), with: request, in: new)
        }
        for case .endLaunch(let number, let end) in changes { try endLaunch(number, end, in: &new) }
        for case .recordWait(let key, let reasons, let at) in changes { waitHistory.append((key, reasons, at)) }
        let reported = entries.filter(\.event.endsSubmission).compactMap(\.submission)
        // An alert has ended when its notification is shown, before or after the end of its task.
        let shown = new.shown.map(\.submission)
        let explained = countedPushes(changes).subtracting(new.present).union(reported).union(shown)
        journaled.formUnion(explained)
        unexplained.formUnion(state.present.subtracting(new.present))
        unexplained.subtract(explained)
        everStored.formUnion(new.present)
        state = new
        journal += entries
    }

    /// Requeues a running task, unless a newer request with its identifier is pending.
    ///
    /// - Returns: the newer request that supersedes the task; nil if the task is pending again.
    private mutating func comeBack(
        _ work: PendingWork,
        from launch: LaunchNumber,
        to state: inout State
    ) throws -> SubmissionNumber? {
        try end(work.number, of: launch, in: &state)
        switch work {
        case .request(let request):
            if let newer = state.requests.values.first(where: { $0.isInTheWay(of: request) }) { return newer.number }
            state.requests[request.number] = request
        case .event(let event): state.events[event.number] = event
        }
        return nil
    }

    private mutating func apply(_ change: LedgerChange, to state: inout State) throws {
        switch change {
        case .storeRequest(let request, let payload):
            if let old = state.requests.values.first(where: { $0.isInTheWay(of: request) }) {
                state.requests[old.number] = nil
            }
            state.requests[request.number] = request
            state.payloads[request.number] = payload
            state.lastSubmission = max(state.lastSubmission, request.number)
        case .removeRequest(let number): state.requests[number] = nil
        case .storeEvent(let event, let payload):
            state.events[event.number] = event
            state.payloads[event.number] = payload
            state.lastSubmission = max(state.lastSubmission, event.number)
        case .removeEvent(let number): state.events[number] = nil
        case .startLaunch(let plan): try start(plan, in: &state)
        case .endTask(let launch, let number): try end(number, of: launch, in: &state)
        case .forbidRequeue(let launch, let number):
            guard state.running[launch]?.unfinished.contains(where: { $0.number == number }) == true else {
                throw Contradiction(message: "launch \(launch) has no running task of submission \(number)")
            }
            state.running[launch]?.mayNotBeRequeued.insert(number)
        case .startTask(let launch, let task):
            guard state.running[launch] != nil, state.requests.removeValue(forKey: task.work.number) != nil else {
                throw Contradiction(message: "\(task.work.label) (\(task.work.number)) cannot join launch \(launch)")
            }
            state.moved.remove(task.work.number)
            state.running[launch]?.tasks.append(task.work)
            state.running[launch]?.unfinished.append(task.work)
        case .moveLaunch(let launch, let lane): state.running[launch]?.lane = lane
        case .recordWait(let key, let reasons, _): state.waits[key] = reasons.isEmpty ? nil : Set(reasons)
        case .setDeferrals(let key, let periods): state.deferrals[key] = periods.isEmpty ? nil : periods
        case .setFetch(let plugin, let schedule): state.fetches[plugin] = schedule
        case .recordOccurrence(let identifier, let at): state.occurrences[identifier] = at
        case .storeCursor(let change): storeCursor(change, in: &state)
        case .restart(let plugin, let identifier, _): state.cursors[CursorPlace(plugin, identifier)] = nil
        case .dropCursor(let plugin, let identifier, let number):
            let place = CursorPlace(plugin, identifier)
            if state.cursors[place]?.isWritten(upTo: number) == true { state.cursors[place] = nil }
        case .setStandstills(let plugin, let identifier, let count, let number):
            let place = CursorPlace(plugin, identifier)
            if state.cursors[place]?.isWritten(upTo: number) == true { state.cursors[place]?.standstills = count }
        case .changePushToken(let plugin, let change, _):
            switch change {
            case .issue(let token): state.pushTokens[plugin] = state.pushTokens[plugin] ?? token
            case .rotate(let token): state.pushTokens[plugin] = token
            case .revoke: state.pushTokens[plugin] = nil
            }
        case .storeTransfer(let transfer): state.transfers[transfer.number] = transfer
        case .takeTransfer(_, let number): state.transfers[number]?.isTaken = true
        case .dropTransfers(let plugin, let session, let end):
            state.transfers = state.transfers.filter { number, transfer in
                transfer.plugin != plugin || transfer.session != session || number >= end || transfer.endedAt == nil
                    || transfer.file != nil && !transfer.isTaken && transfer.direction == .download
            }
        case .storeAlert(let alert):
            state.alerts[alert.number] = alert
            state.lastSubmission = max(state.lastSubmission, alert.number)
        case .showAlert(let number, let content, let at):
            guard let alert = state.alerts.removeValue(forKey: number) else { return }
            state.events[number] = nil
            state.shown.append(
                ShownNotification(
                    at: at,
                    plugin: alert.plugin,
                    topic: alert.topic,
                    submission: number,
                    content: content ?? alert.original
                )
            )
        case .showNotification(let notification): state.shown.append(notification)
        case .storeLease(let lease): state.leases[lease.name] = lease
        case .removeLease(let name): state.leases[name] = nil
        case .journal, .endLaunch, .requeueTask, .raiseIncarnation: break
        case .rememberPlugin(let plugin): state.known[plugin.identifier] = plugin
        case .forgetPlugin(let plugin):
            state.known[plugin] = nil
            state.pauses[plugin] = nil
            state.uses[plugin] = nil
            state.transfers = state.transfers.filter { $0.value.plugin != plugin }
            state.pushAnswers[plugin] = nil
            state.cursors = state.cursors.filter { $0.key.plugin != plugin }
            state.waits = state.waits.filter { $0.key.plugin != plugin }
            state.deferrals = state.deferrals.filter { $0.key.plugin != plugin }
        case .setPause(let plugin, let pause): state.pauses[plugin] = pause
        case .setUses(let plugin, let uses): state.uses[plugin] = uses
        case .countPushes(let plugin, let sum): count(sum, of: plugin, in: &state)
        case .keepPushAnswer(let plugin, let push, let oldest, let dropped):
            state.pushAnswers[plugin, default: []].append(push)
            state.pushAnswers[plugin]?.removeAll { $0.number < oldest || dropped.contains($0.number) }
        }
    }

    /// Stores or discards the cursor of a running task, unless a newer submission wrote it.
    private func storeCursor(_ change: CursorChange, in state: inout State) {
        let place = CursorPlace(change.plugin, change.identifier)
        if state.cursors[place]?.isWritten(upTo: change.submission) == false { return }
        if discarding.contains(change.task) {
            state.moved.remove(change.submission)
            state.cursors[place] = nil
            return
        }
        if change.isMovement {
            state.moved.insert(change.submission)
        } else {
            state.moved.remove(change.submission)
        }
        let standstills = change.isMovement ? 0 : state.cursors[place]?.standstills ?? 0
        state.cursors[place] = CursorRecord(standstills: standstills, submission: change.submission)
    }

    private mutating func start(_ plan: LaunchPlan, in state: inout State) throws {
        for work in plan.tasks.map(\.work) {
            let isPending =
                switch work {
                case .request(let request): state.requests.removeValue(forKey: request.number) != nil
                case .event(let event): state.events.removeValue(forKey: event.number) != nil
                }
            guard isPending else { throw Contradiction(message: "\(work.label) (\(work.number)) is not pending") }
        }
        for other in state.running.values
        where other.plan.plugin.identifier == plan.plugin.identifier && other.lane == plan.lane
            && plan.lane != .continued && plan.lane != .transfer
        {
            complaints.append("launches \(other.plan.number) and \(plan.number) share the \(plan.lane.name) lane")
        }
        let works = plan.tasks.map(\.work)
        state.moved.subtract(works.map(\.number))
        state.running[plan.number] = StoredLaunch(plan: plan, lane: plan.lane, tasks: works, unfinished: works)
        state.lastLaunch = max(state.lastLaunch, plan.number)
    }

    private func end(_ number: SubmissionNumber, of launch: LaunchNumber, in state: inout State) throws {
        guard let index = state.running[launch]?.unfinished.firstIndex(where: { $0.number == number }) else {
            throw Contradiction(message: "launch \(launch) has no running task of submission \(number)")
        }
        state.running[launch]?.unfinished.remove(at: index)
    }

    private mutating func endLaunch(_ number: LaunchNumber, _ end: LaunchEnd, in state: inout State) throws {
        guard let launch = state.running.removeValue(forKey: number) else {
            throw Contradiction(message: "no launch \(number) is running")
        }
        guard launch.unfinished.isEmpty else {
            throw Contradiction(message: "launch \(number) ends with unfinished tasks")
        }
        state.past.append(
            PastLaunch(
                plugin: launch.plan.plugin.identifier,
                lane: launch.lane,
                cause: launch.plan.cause,
                outcome: end.outcome,
                endedAt: end.at,
                used: end.used,
                ownKinds: launch.tasks.ownKinds,
                usedBudget: launch.plan.budget.total.flatMap { total in end.used.map { $0 >= total } } ?? false
            )
        )
        for work in launch.tasks where launch.outcomes[work.number] != 1 {
            let count = launch.outcomes[work.number] ?? 0
            complaints.append("launch \(number) ended with \(count) outcomes of \(work.label) (\(work.number))")
        }
    }

    private func count(_ entry: JournalEntry, in state: inout State) {
        guard case .task = entry.event, let launch = entry.launch, let number = entry.submission else { return }
        state.running[launch]?.outcomes[number, default: 0] += 1
    }

    private func count(_ sum: PushSum, of plugin: PluginIdentifier, in state: inout State) {
        var total = state.pushSums[plugin]?[sum.user?.uid] ?? PushSum(user: sum.user, last: sum.last)
        total.add(sum)
        state.pushSums[plugin, default: [:]][sum.user?.uid] = total.isZero ? nil : total
        if state.pushSums[plugin]?.isEmpty == true { state.pushSums[plugin] = nil }
        state.lastSubmission = max(state.lastSubmission, sum.last)
    }

    /// The waiting pushes that the changes replace and count instead of journaling each.
    private func countedPushes(_ changes: [LedgerChange]) -> Set<SubmissionNumber> {
        let counting = changes.compactMap { change -> PluginIdentifier? in
            if case .countPushes(let plugin, let sum) = change, sum.replaced > 0 { plugin } else { nil }
        }
        let pushes = state.requests.values.filter { $0.request.kind == .push && counting.contains($0.plugin) }
        return Set(pushes.map(\.number))
    }

    /// Adds a complaint if a stored request exceeds its limit. Exempt are requeued tasks, replacements, and new
    /// requests with the identifier of a running task (C5).
    private mutating func checkLimit(_ limits: PendingLimits, with request: PendingRequest, in new: State) {
        let kind = request.request.kind.countedAs
        let running = state.running.values.flatMap(\.unfinished).filter { $0.plugin == request.plugin }
        if running.contains(where: { $0.identifier == request.request.identifier && $0.kind.countedAs == kind }) {
            return
        }
        if state.requests.values.contains(where: { $0.isInTheWay(of: request) && $0.request.kind.countedAs == kind }) {
            return
        }
        let beside = new.requests.values.count { $0.plugin == request.plugin && $0.request.kind.countedAs == kind }
        if let limit = limits[kind], beside > limit {
            complaints.append("submission \(request.number) makes \(beside) pending where \(limit) are allowed")
        }
    }
}

extension PendingRequest {
    fileprivate func isInTheWay(of other: PendingRequest) -> Bool {
        plugin == other.plugin && request.identifier == other.request.identifier && number != other.number
    }
}

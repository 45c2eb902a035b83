// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Executes the SQL statements of each change. The caller begins and ends the transactions.
struct ChangeWriter: Sendable {
    /// Maximum size of the journal in bytes.
    private let journalCapacity: Int64
    private var plugins = PluginNames()
    private var lastJournal: JournalNumber?
    /// Number of journal entries that the transaction has written, and the time of the last one.
    private var written = 0
    private var lastTime = WallTime(nanoseconds: 0)
    /// The entries about superseded tasks, deleted cursors and lost entries that the transaction has written: the changes
    /// do not contain them.
    private var added: [JournalEntry] = []
    /// The submissions whose task succeeds in the present ticket: their payloads are not kept.
    private var succeeded: Set<SubmissionNumber> = []
    private var evictions = CursorEvictions()
    /// The counts of deleted cursors after the last committed group.
    private var committedEvictions = CursorEvictions()
    /// Whether the ledger has a cursor; nil when the group has not read it yet.
    private var foundCursors: Bool?
    private var lastSubmission = SubmissionNumber(rawValue: 0)
    private var lastLaunch = LaunchNumber(rawValue: 0)

    init(journalCapacity: Int64) { self.journalCapacity = journalCapacity }

    /// Begins a ticket: a list of changes that are written all or not at all.
    mutating func beginTicket(_ changes: [LedgerChange]) {
        succeeded.removeAll(keepingCapacity: true)
        for case .journal(let entry) in changes {
            guard case .task(let outcome) = entry.event, outcome == .succeeded || outcome == .noData else { continue }
            if let number = entry.submission { succeeded.insert(number) }
        }
    }

    /// Executes the statements of one change.
    ///
    /// - Parameter started: receives the payloads and the cursors of the tasks that the change moves from pending to
    ///   running.
    mutating func apply(
        _ change: LedgerChange,
        to access: WriteAccess,
        started: inout StartedTasks
    ) throws {
        switch change {
        case .storeRequest(let request, let payload):
            lastSubmission = max(lastSubmission, request.number)
            try access.store(request, payload: payload, names: &plugins)
        case .removeRequest(let number):
            try access.removeRequest(number)
        case .storeEvent(let event, let payload):
            lastSubmission = max(lastSubmission, event.number)
            try access.store(event, payload: payload, names: &plugins)
        case .removeEvent(let number):
            try access.removeEvent(number)
        case .startLaunch(let plan):
            lastLaunch = max(lastLaunch, plan.number)
            try access.start(plan, names: &plugins)
            started.payloads.merge(try access.database.payloads(of: plan.number)) { _, new in new }
            try access.dropCursorsOfOtherPayloads(of: plan.number, started.payloads)
            started.cursors.merge(try access.database.cursors(of: plan.number)) { _, new in new }
        case .startTask(let launch, let task):
            try access.start(task, in: launch)
            let number = task.work.number
            started.payloads[number] = try access.database.payload(of: number, in: launch)
            try access.dropCursorsOfOtherPayloads(of: launch, started.payloads)
            started.cursors[number] = try access.database.cursor(of: number, in: launch)
        case .moveLaunch(let number, let lane):
            try access.moveLaunch(number, to: lane)
        case .endTask(let launch, let submission):
            try access.endTask(launch, submission, keepingPayload: !succeeded.contains(submission))
        case .requeueTask(let launch, let work, let now):
            if let newer = try access.requeueTask(launch, work, names: &plugins) {
                let entry = JournalEntry.superseded(work, by: newer, launch: launch, at: now)
                try append(entry, to: access)
                added.append(entry)
            }
        case .storeCursor(let change):
            foundCursors = true
            let evicted = try access.storeCursor(change, names: &plugins)
            for entry in evictions.entries(about: evicted, deletedBy: change) {
                try append(entry, to: access)
                added.append(entry)
            }
        case .dropCursor(let plugin, let identifier, let submission):
            try access.dropCursor(of: plugin, identifier, until: submission, names: &plugins)
        case .restart(let plugin, let identifier, let submission):
            try access.restart(submission, of: plugin, identifier, names: &plugins)
        case .setStandstills(let plugin, let identifier, let count, let submission):
            guard try hasCursors(in: access) else { return }
            try access.setStandstills(of: plugin, identifier, count, until: submission, names: &plugins)
        case .forbidRequeue(let launch, let submission):
            try access.forbidRequeue(launch, submission)
        case .endLaunch(let number, let end):
            try access.endLaunch(number, end)
        case .journal(let entry):
            try append(entry, to: access)
        case .recordWait(let key, let reasons, let now):
            try access.recordWait(key, reasons: reasons, at: now, names: &plugins)
        case .setDeferrals(let key, let periods):
            try access.setDeferrals(key, periods, names: &plugins)
        case .setFetch(let plugin, let schedule):
            try access.setFetch(of: plugin, schedule, names: &plugins)
        case .recordOccurrence(let identifier, let time):
            try access.recordOccurrence(of: identifier, at: time)
        case .rememberPlugin(let plugin):
            try access.remember(plugin, names: &plugins)
        case .forgetPlugin(let identifier):
            try access.forget(identifier, names: &plugins)
            evictions.forget(identifier)
        case .setPause(let plugin, let pause):
            try access.setPause(of: plugin, pause, names: &plugins)
        case .setUses(let plugin, let uses):
            try access.setUses(of: plugin, uses, names: &plugins)
        case .countPushes(let plugin, let sum):
            try access.countPushes(of: plugin, sum, names: &plugins)
            lastSubmission = max(lastSubmission, sum.last)
        case .keepPushAnswer(let plugin, let push, let oldest, let dropped):
            try access.keep(push, of: plugin, oldest: oldest, dropped: dropped, names: &plugins)
            lastSubmission = max(lastSubmission, push.number)
        case .changePushToken(let plugin, let change, let now):
            try access.change(pushTokenOf: plugin, change, at: now, names: &plugins)
        case .storeTransfer(let transfer): try access.store(transfer, names: &plugins)
        case .takeTransfer(let plugin, let number): try access.takeTransfer(number, of: plugin, names: &plugins)
        case .dropTransfers(let plugin, let session, let end):
            try access.dropTransfers(of: session, plugin, before: end, names: &plugins)
        case .storeAlert(let alert):
            lastSubmission = max(lastSubmission, alert.number)
            try access.store(alert)
        case .showAlert(let number, let content, let now):
            try access.showAlert(number, content, at: now)
        case .showNotification(let notification):
            lastSubmission = max(lastSubmission, notification.submission)
            try access.show(notification)
        case .storeLease(let lease): try access.store(lease)
        case .removeLease(let name): try access.removeLease(name)
        case .raiseIncarnation(let incarnation):
            try access.run(Counter.raiseIncarnation, incarnation)
        }
    }

    /// Whether the ledger has a cursor. Read once for each group: every submission of a user resets the count of its
    /// cursor, and few hosts have cursors.
    private mutating func hasCursors(in access: WriteAccess) throws -> Bool {
        if let foundCursors { return foundCursors }
        let found = try access.hasCursors()
        foundCursors = found
        return found
    }

    private mutating func append(_ entry: JournalEntry, to access: WriteAccess) throws {
        lastJournal = try access.append(entry, names: &plugins)
        lastTime = entry.at
        if let alarm = HostAlarm(entry.event, blame: entry.blame) { try access.show(alarm, about: entry) }
        // A push that was replaced or lapsed before it was stored has only its entry.
        if let number = entry.submission { lastSubmission = max(lastSubmission, number) }
        written += 1
    }

    /// Completes a ticket, a list of changes that are written all or not at all, after its last change. Checks that no
    /// launch that the ticket ends has unfinished tasks. Deletes the open waits and the deferrals of each plugin whose
    /// record the ticket removes. Both happen last, so that the order of the changes of a ticket does not matter.
    mutating func finishTicket(_ changes: [LedgerChange], in access: WriteAccess) throws {
        for change in changes {
            switch change {
            case .endLaunch(let number, _):
                try access.requireNothingUnfinished(in: number)
            case .forgetPlugin(let identifier):
                guard let number = try plugins.knownNumber(of: identifier, in: access) else { continue }
                try access.forgetOpenWaits(ofPlugin: number)
                try access.forgetDeferrals(ofPlugin: number)
            default:
                continue
            }
        }
    }

    /// Increments the ledger's count of groups, and records the highest submission and launch numbers used. Called once
    /// for each group with a commit that succeeded: a group is one transaction with one or more commits.
    ///
    /// Deletes the oldest entries of a journal above its limit, at most two for each new one, so that the cost of a
    /// group is proportional to its own size.
    ///
    /// - Returns: the number of the last journal entry that the group wrote; nil when it wrote none.
    mutating func finishGroup(in access: WriteAccess) throws -> JournalNumber? {
        try access.run(Counter.finishGroup, lastSubmission.rawValue, lastLaunch.rawValue)
        if written > 0, try access.database.trimJournal(to: journalCapacity, atMost: 2 * written).losesClaims {
            let entry = JournalEntry.outcomesLost(at: lastTime)
            try append(entry, to: access)
            added.append(entry)
        }
        defer { (lastJournal, written, foundCursors) = (nil, 0, nil) }
        return lastJournal
    }

    /// Returns the entries of a committed group that its changes do not contain, and drops them. Called after the
    /// commit.
    mutating func takeAdded() -> [JournalEntry] {
        defer { added = [] }
        committedEvictions = evictions
        return added
    }

    /// Drops the cached state after a rollback, because the plugin names that the transaction inserted may no longer
    /// exist.
    mutating func forgetUncommitted() {
        let evictions = committedEvictions
        self = Self(journalCapacity: journalCapacity)
        (self.evictions, committedEvictions) = (evictions, evictions)
    }
}

enum Counter {
    static let finishGroup = StatementText(
        "UPDATE counter SET commits = commits + 1, submission = max(submission, ?), launch = max(launch, ?)"
    )
    static let raiseIncarnation = StatementText("UPDATE counter SET incarnation = max(incarnation, ?)")
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// Turns each change into its statements. Begins and ends no transaction.
struct ChangeWriter: Sendable {
    private var plugins = PluginNames()
    private var lastJournal: JournalNumber?
    private var lastSubmission = SubmissionNumber(rawValue: 0)
    private var lastLaunch = LaunchNumber(rawValue: 0)
    /// What `counter` is known to hold, so that a group without new numbers leaves it alone.
    private var recorded: (submission: SubmissionNumber, launch: LaunchNumber) = (
        SubmissionNumber(rawValue: 0), LaunchNumber(rawValue: 0)
    )

    mutating func apply(_ change: LedgerChange, to database: Database) throws {
        switch change {
        case .storeRequest(let request, let payload):
            lastSubmission = max(lastSubmission, request.number)
            try database.store(request, payload: payload, names: &plugins)
        case .removeRequest(let number):
            try database.removeRequest(number)
        case .storeEvent(let event, let payload):
            lastSubmission = max(lastSubmission, event.number)
            try database.store(event, payload: payload, names: &plugins)
        case .removeEvent(let number):
            try database.removeEvent(number)
        case .startLaunch(let plan):
            lastLaunch = max(lastLaunch, plan.number)
            try database.start(plan, names: &plugins)
        case .startTask(let launch, let task):
            try database.start(task, in: launch)
        case .moveLaunch(let number, let lane):
            try database.moveLaunch(number, to: lane)
        case .endTask(let launch, let submission):
            try database.endTask(launch, submission)
        case .returnTask(let launch, let work):
            try database.returnTask(launch, work, names: &plugins)
        case .keepFromReturning(let launch, let submission):
            try database.keepFromReturning(launch, submission)
        case .endLaunch(let number, let end):
            try database.endLaunch(number, end)
        case .journal(let entry):
            lastJournal = try database.append(entry, names: &plugins)
        case .recordWait(let work, let reasons, let now):
            try database.recordWait(work, reasons: reasons, at: now, names: &plugins)
        case .holdSoftly(let submission, let since):
            try database.holdSoftly(submission, since: since)
        case .setFetch(let plugin, let schedule):
            try database.setFetch(of: plugin, schedule, names: &plugins)
        case .recordOccasion(let identifier, let time):
            try database.recordOccasion(of: identifier, at: time)
        case .rememberPlugin(let plugin):
            try database.remember(plugin, names: &plugins)
        case .forgetPlugin(let identifier):
            try database.forget(identifier)
        }
    }

    /// A launch ends with all of its tasks judged, and a plugin is forgotten with all that it waited for, in whatever
    /// order the ticket says so.
    func finishTicket(_ changes: [LedgerChange], in database: Database) throws {
        for case .endLaunch(let number, _) in changes { try database.requireNothingUnfinished(in: number) }
        for case .forgetPlugin(let identifier) in changes { try database.forgetOpenWaits(of: identifier) }
    }

    /// Records the numbers used, once for all tickets, and tells the last journal entry written.
    mutating func finishGroup(in database: Database) throws -> JournalNumber? {
        if lastSubmission > recorded.submission {
            try database.raiseCounter("submission", to: lastSubmission.rawValue)
        }
        if lastLaunch > recorded.launch {
            try database.raiseCounter("launch", to: lastLaunch.rawValue)
        }
        recorded = (lastSubmission, lastLaunch)
        defer { lastJournal = nil }
        return lastJournal
    }

    /// After a transaction that came to nothing: names looked up in it may be gone.
    mutating func forgetUncommitted() {
        self = Self()
    }
}

extension Database {
    fileprivate func raiseCounter(_ name: String, to number: Int64) throws {
        try run("UPDATE counter SET last = max(last, ?) WHERE name = ?", [number, name])
    }
}

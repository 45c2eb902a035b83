// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The effect of a commit in flight on the scheduler: applied when the commit succeeds, dropped when it fails.
enum StagedChange: Sendable {
    case submission(StagedSubmission)
    case trigger(PendingEvent, reply: ReplyToken)
    /// An event that the host created itself: no caller waits for an answer.
    case arrival(PendingEvent)
    case cancellation(StagedCancellation)
    /// A user's request to stop a running task.
    case stop(RunningTask, ChangeNumber, reply: ReplyToken)
    /// The record of a plugin as now installed, together with its `started` event; nil when the plugin gets none.
    case welcome(of: PluginIdentifier, as: KnownPlugin, PendingEvent?)
    /// The record of a plugin as missing, because it is no longer installed.
    case leave(of: PluginIdentifier, as: KnownPlugin)
    case launchStart(LaunchNumber, ChangeNumber)
    /// The delivery of another task to a running launch.
    case delivery(LaunchNumber, PlannedTask, ChangeNumber)
    case launchRecord(LaunchNumber)
    /// The removal of all pending work of a removed plugin.
    case clearance(Clearance, ChangeNumber)
    /// A part of a plugin's wait history, for the given classes.
    case waits(PluginIdentifier, [WorkClass])
    /// Changes that no decision waits for. They are staged again until they are written.
    case keeping([LedgerChange])
}

struct StagedSubmission: Sendable {
    let request: PendingRequest
    /// The pending request that the new request replaces, as journaled; nil when it replaces none.
    let replaced: SubmissionNumber?
    let asker: SubmissionAsker
    /// The launch that submitted the request; nil for other submitters.
    let origin: LaunchNumber?
    let change: ChangeNumber
    /// The journal lines of the submission, counted against the limits of the submitting launch.
    let lines: [BoundedLines.Line]
    /// Whether the request is a continued one that will need capacity of the continued lane.
    let takesCapacity: Bool
}

struct StagedCancellation: Sendable {
    let plugin: PluginIdentifier
    let requests: [PendingRequest]
    let running: [RunningTask]
    let reply: ReplyToken
    let change: ChangeNumber
    /// The launch whose plugin called; nil when a user called.
    let origin: LaunchNumber?
    /// The journal lines of the cancellation, counted against the limits of the calling launch.
    let lines: [BoundedLines.Line]
}

/// A running task that is being cancelled or stopped.
struct RunningTask: Hashable, Sendable {
    let launch: LaunchNumber
    let id: TaskID
    let identifier: TaskIdentifier
    let submission: SubmissionNumber
    /// The user who called; nil when a plugin called.
    var user: CallingUser?
}

/// The commits in flight, whose results are not known yet.
///
/// The affected objects hold the change numbers: the overlay of a plugin for identifiers, its queue for events, the
/// launch for tasks.
struct InFlightTable: Sendable {
    private var changes: [Ticket: StagedChange] = [:]
    private var lastTicket = Ticket(rawValue: 0)
    private var lastChange = ChangeNumber(rawValue: 0)
    /// Task identifiers of schedules whose occurrence is being written together with its request.
    private var occurrences: Set<TaskIdentifier> = []
    /// Number of accepted continued requests that will need capacity once their commits succeed.
    private(set) var continuedComing = 0

    var isEmpty: Bool { changes.isEmpty }

    mutating func nextChange() -> ChangeNumber {
        lastChange = ChangeNumber(rawValue: lastChange.rawValue + 1)
        return lastChange
    }

    mutating func add(_ change: StagedChange) -> Ticket {
        lastTicket = Ticket(rawValue: lastTicket.rawValue + 1)
        changes[lastTicket] = change
        if case .submission(let submission) = change {
            if submission.takesCapacity { continuedComing += 1 }
            if case .schedule = submission.asker { occurrences.insert(submission.request.request.identifier) }
        }
        return lastTicket
    }

    mutating func take(_ ticket: Ticket) -> StagedChange? {
        guard let change = changes.removeValue(forKey: ticket) else { return nil }
        if case .submission(let submission) = change {
            if submission.takesCapacity { continuedComing -= 1 }
            if case .schedule = submission.asker { occurrences.remove(submission.request.request.identifier) }
        }
        return change
    }

    func containsOccurrence(of identifier: TaskIdentifier) -> Bool { occurrences.contains(identifier) }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The effect of a commit in flight on the scheduler: applied when the commit succeeds, dropped when it fails.
enum StagedChange: Sendable {
    case submission(StagedSubmission)
    case trigger(PendingEvent, reply: ReplyToken)
    /// An event without a caller that waits for an answer.
    case arrival(PendingEvent)
    case cancellation(StagedCancellation)
    /// A user's stop of a running task.
    case stop(RunningTask, ChangeNumber, reply: ReplyToken)
    /// The record of a plugin, as it is installed now, together with its `started` event if it gets one.
    case welcome(of: PluginIdentifier, as: KnownPlugin, PendingEvent?)
    /// The record of a plugin as missing.
    case leave(of: PluginIdentifier, as: KnownPlugin)
    case launchStart(LaunchNumber, ChangeNumber)
    /// Another task for a running launch.
    case delivery(LaunchNumber, PlannedTask, ChangeNumber)
    case launchRecord(LaunchNumber)
    /// The pending work of a removed plugin is dropped for good.
    case clearance(Clearance, ChangeNumber)
    /// A part of a plugin's wait history.
    case waits(PluginIdentifier, [WorkClass])
    /// Changes that no decision waits for; staged again until they are written.
    case keeping([LedgerChange])
}

struct StagedSubmission: Sendable {
    let request: PendingRequest
    /// The request that it replaces, as journaled; nil without one.
    let replaced: SubmissionNumber?
    let asker: SubmissionAsker
    /// The launch that submitted it; nil for other submitters.
    let origin: LaunchNumber?
    let change: ChangeNumber
    /// The bounded journal lines of its launch that it uses.
    let lines: [BoundedLines.Line]
    /// Whether it is a continued request that will need capacity of the continued lane.
    let takesCapacity: Bool
}

struct StagedCancellation: Sendable {
    let plugin: PluginIdentifier
    let requests: [PendingRequest]
    let running: [RunningTask]
    let reply: ReplyToken
    let change: ChangeNumber
    /// The launch that it came from; nil when a user called.
    let origin: LaunchNumber?
    /// The lines of the journal that it takes of those of that launch.
    let lines: [BoundedLines.Line]
}

/// A running task that is being cancelled or stopped.
struct RunningTask: Hashable, Sendable {
    let launch: LaunchNumber
    let id: TaskID
    let identifier: TaskIdentifier
    let submission: SubmissionNumber
    /// The user who called; nil when a plugin did.
    var user: CallingUser?
}

/// The commits whose results are not known yet.
///
/// Their subjects hold the change numbers: identifiers in the overlay of each plugin, events in its queue, tasks in
/// their launch.
struct InFlightTable: Sendable {
    private var changes: [Ticket: StagedChange] = [:]
    private var lastTicket = Ticket(rawValue: 0)
    private var lastChange = ChangeNumber(rawValue: 0)
    /// Task identifiers of schedules whose occurrence is being written together with its request.
    private var occasions: Set<TaskIdentifier> = []
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
            if case .schedule = submission.asker { occasions.insert(submission.request.request.identifier) }
        }
        return lastTicket
    }

    mutating func take(_ ticket: Ticket) -> StagedChange? {
        guard let change = changes.removeValue(forKey: ticket) else { return nil }
        if case .submission(let submission) = change {
            if submission.takesCapacity { continuedComing -= 1 }
            if case .schedule = submission.asker { occasions.remove(submission.request.request.identifier) }
        }
        return change
    }

    func containsOccasion(of identifier: TaskIdentifier) -> Bool { occasions.contains(identifier) }
}

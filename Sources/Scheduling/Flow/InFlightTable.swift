// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What a commit in flight means once its result is known: applied when it is on disk, dropped when it failed.
enum StagedChange: Sendable {
    case submission(StagedSubmission)
    case trigger(PendingEvent, reply: ReplyToken)
    /// An event that nobody is answered for.
    case arrival(PendingEvent)
    case cancellation(StagedCancellation)
    /// A user's stop of a running task.
    case stop(RunningTask, ChangeNumber, reply: ReplyToken)
    /// A plugin is remembered as it is now, with the event that tells it so, if any.
    case welcome(of: PluginIdentifier, as: KnownPlugin, PendingEvent?)
    /// A plugin is remembered as missing.
    case leave(of: PluginIdentifier, as: KnownPlugin)
    case launchStart(LaunchNumber, ChangeNumber)
    /// One more task for a launch that runs.
    case delivery(LaunchNumber, PlannedTask, ChangeNumber)
    case launchRecord(LaunchNumber)
    /// What a removed plugin had pending is dropped for good.
    case clearance(Clearance, ChangeNumber)
    /// A part of a plugin's wait history.
    case waits(PluginIdentifier, [WorkClass])
    /// Nothing waits for it; written until it is written.
    case keeping([LedgerChange])
}

struct StagedSubmission: Sendable {
    let request: PendingRequest
    /// The request that the journal says it replaces.
    let replaced: SubmissionNumber?
    let asker: SubmissionAsker
    /// The launch that it was submitted from.
    let origin: LaunchNumber?
    let change: ChangeNumber
    /// The lines of the journal that it takes of those of its launch.
    let lines: [BoundedLines.Line]
    /// A continued request that will need a launch of its own.
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

/// A task that is cancelled or stopped while it runs.
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
/// What they are about lies where it is asked for, named by change numbers: identifiers in each plugin's overlay, events in
/// its queue, tasks in their launch.
struct InFlightTable: Sendable {
    private var changes: [Ticket: StagedChange] = [:]
    private var lastTicket = Ticket(rawValue: 0)
    private var lastChange = ChangeNumber(rawValue: 0)
    /// Identifiers of schedules whose occasion is being written together with its request.
    private var occasions: Set<TaskIdentifier> = []
    /// Accepted continued requests that will take capacity once their commits are known.
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

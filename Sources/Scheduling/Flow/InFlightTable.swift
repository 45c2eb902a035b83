// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A change whose commit is in flight, with the data that `settle` needs if the commit succeeds, and `rollBack` if it
/// fails.
enum StagedChange: Sendable {
    case submission(StagedSubmission)
    case trigger(PendingEvent, reply: ReplyToken)
    /// A legacy fetch event, which the host created itself. No caller waits for an answer.
    case arrival(PendingEvent)
    case cancellation(StagedCancellation)
    case lapse(StagedLapse)
    case pushes(StagedPushes)
    case alert(StagedAlert)
    /// The notifications of alerts to this plugin, which are shown with their original content.
    case alertsShown(PluginIdentifier, [SubmissionNumber])
    /// A user's request to stop a running task.
    case stop(RunningTask, ChangeNumber, reply: ReplyToken)
    /// A user's request to stop the unfinished tasks of a launch.
    case launchStop(LaunchNumber, [RunningTask], ChangeNumber, reply: ReplyToken)
    /// The record of a plugin that is now installed, together with the plugin's `started` event; nil without such an
    /// event.
    case welcome(of: PluginIdentifier, as: KnownPlugin, PendingEvent?)
    /// The record of a plugin that is no longer installed: the plugin is marked as missing.
    case leave(of: PluginIdentifier, as: KnownPlugin)
    case launchStart(LaunchNumber, ChangeNumber)
    /// The delivery of one more task to a running launch.
    case delivery(LaunchNumber, PlannedTask, ChangeNumber)
    case launchRecord(LaunchNumber)
    /// The removal of all pending work of a removed plugin.
    case clearance(Clearance, ChangeNumber)
    /// The pause of a plugin, or its end when the pause is nil. `reply` is nil when the time of the pause has passed.
    case pause(PluginIdentifier, PluginPause?, reply: ReplyToken?)
    /// The deletion of a cursor by a user.
    case cursorClearing(ReplyToken)
    /// The pause of a transfer, or its end.
    case transferPause(Transfer, reply: ReplyToken)
    case pushToken(StagedPushToken)
    /// The record of a new or renewed lease.
    case lease(SubmitterLease, reply: ReplyToken)
    case leaseDeletion(String, reply: ReplyToken)
    /// Changes of a plugin's wait history that concern the given classes of work.
    case waits(PluginIdentifier, [WorkClass])
    /// Changes that no decision waits for. After a failed commit they are staged again.
    case keeping([LedgerChange])
}

struct StagedSubmission: Sendable {
    let request: PendingRequest
    /// The pending request that the new request was expected to replace when it was staged; nil without one.
    let replaced: SubmissionNumber?
    let asker: SubmissionAsker
    /// The launch that submitted the request; nil when a user or a schedule submitted it.
    let origin: LaunchNumber?
    let change: ChangeNumber
    /// The journal lines of the submission, counted against the limits of the submitting launch.
    let lines: [BoundedLines.Line]
    /// Whether the request is continued and will need capacity of the continued lane.
    let takesCapacity: Bool
    /// The downloads for earlier requests of the identifier whose files the commit takes.
    let taken: [SubmissionNumber]
    /// The continued launch that the request may join without additional capacity; nil without one.
    var joined: LaunchNumber? { request.request.kind == .continued && !takesCapacity ? origin : nil }
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
    /// The ends of the pending transfers that are cancelled.
    let ends: TransferEnds
}

/// Pushes for one plugin that one commit accepts: the newest one is stored, and replaces the others and the waiting
/// one.
struct StagedPushes: Sendable {
    let plugin: PluginIdentifier
    /// The push that is stored; nil when the deadlines of all pushes had passed.
    let stored: PendingRequest?
    /// The answers to the senders, in order of arrival.
    let answers: [Answer]
    /// The counts of those pushes that have no journal entry.
    let sums: [PushSum]
    /// The answers that repetitions of the pushes get.
    let kept: RecordedAnswers
    let change: ChangeNumber

    struct Answer: Sendable {
        /// The call with the push, and those of its repetitions that arrived before the commit.
        let replies: [ReplyToken]
        let number: SubmissionNumber
        let result: PushResult
        /// The deadline of the push; nil for none.
        let expiresAt: WallTime?
    }
}

/// The end of pending requests of one plugin whose deadline has passed, or whose claim is lost.
struct StagedLapse: Sendable {
    enum Cause: Hashable, Sendable {
        case deadlinePassed
        case leaseLost
    }

    var cause = Cause.deadlinePassed
    let plugin: PluginIdentifier
    let requests: [PendingRequest]
    let change: ChangeNumber
    /// The ends of the transfers among the requests; empty until they are staged.
    var ends = TransferEnds()
}

/// A running task that is being cancelled or stopped.
struct RunningTask: Hashable, Sendable {
    let launch: LaunchNumber
    let id: TaskID
    /// The identifier of the task; nil for an event.
    let identifier: TaskIdentifier?
    /// The task identifier, or the name of an event.
    let label: String
    let submission: SubmissionNumber
    /// The user who called; nil when a plugin called.
    let user: CallingUser?

    init(_ task: Execution.Task, of launch: LaunchNumber, by user: CallingUser?) {
        self.launch = launch
        id = task.id
        identifier = task.work.identifier
        label = task.work.label
        submission = task.work.number
        self.user = user
    }
}

/// The commits in flight, whose results are not known yet.
///
/// The objects that a commit affects hold its change numbers: the overlay of a plugin for identifiers, and the record
/// of a launch for tasks. The event queue of a plugin holds the numbers of arriving trigger and fetch events instead.
struct InFlightTable: Sendable {
    private var changes: [Ticket: StagedChange] = [:]
    private var lastTicket = Ticket(rawValue: 0)
    private var lastChange = ChangeNumber(rawValue: 0)
    /// Task identifiers of schedules whose occurrence is being written together with its request.
    private var occurrences: Set<TaskIdentifier> = []
    /// Number of accepted continued requests that will need capacity once their commits succeed.
    private(set) var continuedComing = 0
    /// By continued launch, the number of accepted continued requests with a commit in flight that may join it without
    /// additional capacity.
    private var joining: [LaunchNumber: Int] = [:]
    /// By plugin, the number of changes of its pause; no entry for zero.
    private var pauses: [PluginIdentifier: Int] = [:]

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
            if let launch = submission.joined { joining[launch, default: 0] += 1 }
            if case .schedule = submission.asker { occurrences.insert(submission.request.request.identifier) }
        }
        if case .pause(let plugin, _, _) = change { pauses[plugin, default: 0] += 1 }
        return lastTicket
    }

    mutating func take(_ ticket: Ticket) -> StagedChange? {
        guard let change = changes.removeValue(forKey: ticket) else { return nil }
        if case .submission(let submission) = change {
            if submission.takesCapacity { continuedComing -= 1 }
            if let launch = submission.joined { endJoin(of: launch) }
            if case .schedule = submission.asker { occurrences.remove(submission.request.request.identifier) }
        }
        if case .pause(let plugin, _, _) = change {
            let count = pauses[plugin] ?? 1
            pauses[plugin] = count > 1 ? count - 1 : nil
        }
        return change
    }

    /// Counts the requests that were to join the launch as requests that need capacity, because the launch stops.
    mutating func forgetJoins(of launch: LaunchNumber) { continuedComing += joining.removeValue(forKey: launch) ?? 0 }

    private mutating func endJoin(of launch: LaunchNumber) {
        guard let count = joining[launch] else { return continuedComing -= 1 }
        joining[launch] = count > 1 ? count - 1 : nil
    }

    func changesPause(of plugin: PluginIdentifier) -> Bool { pauses[plugin] != nil }

    func containsOccurrence(of identifier: TaskIdentifier) -> Bool { occurrences.contains(identifier) }
}

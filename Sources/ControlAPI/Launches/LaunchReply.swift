// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/launches/{number}`: one launch with its batch. End, outcome, blame and message are nil until
/// the end of the launch is recorded.
package struct LaunchReply: Codable, Hashable, Sendable {
    package let launch: Int64
    package let plugin: String
    package let lane: String
    package let cause: String
    /// The process of the launch. After its end the number may belong to another process.
    package let pid: Int32
    package let startedAt: Timestamp
    private let startedAtSecond: CalendarTime
    package let endedAt: Timestamp?
    private let endedAtSecond: CalendarTime?
    /// The budget of the launch; nil without a fixed budget.
    package let budget: Nanoseconds?
    package let gracePeriod: Nanoseconds
    /// Running time of the launch. Nil when the host failed while the launch ran, and from the end of the process until
    /// this end is recorded.
    package let used: Nanoseconds?
    package let outcome: String?
    package let blame: String?
    package let message: String?
    /// Digest of the manifest that was in force when the launch was committed: SHA-256 in lower-case hexadecimal.
    package let manifestDigest: String
    package var tasks: [Task]
    /// The worst outcome of the tasks so far; nil while no task has ended.
    package let worstOutcome: String?
    /// The names of the open background assertions, in the order of their begin; nil unless the launch runs.
    package let assertions: [String]?
    /// Whether every task and assertion of the launch has ended, while its process still exists; nil unless the launch
    /// runs.
    package let isStopping: Bool?

    package init(
        launch: LaunchNumber,
        plugin: PluginIdentifier,
        lane: Lane,
        cause: LaunchCause,
        pid: Int32,
        startedAt: WallTime,
        budget: Duration?,
        gracePeriod: Duration,
        used: Duration?,
        end: LaunchEnd?,
        manifestDigest: String,
        tasks: [Task],
        assertions: [String]?,
        isStopping: Bool?
    ) {
        self.launch = launch.rawValue
        self.plugin = plugin.text
        self.lane = lane.name
        self.cause = cause.name
        self.pid = pid
        self.startedAt = Timestamp(startedAt)
        startedAtSecond = CalendarTime(secondOf: self.startedAt)
        endedAt = (end?.at).map(Timestamp.init)
        endedAtSecond = self.endedAt.map(CalendarTime.init(secondOf:))
        self.budget = budget.map { Nanoseconds($0) }
        self.gracePeriod = Nanoseconds(gracePeriod)
        self.used = (end.map(\.used) ?? used).map { Nanoseconds($0) }
        outcome = end?.outcome.rawValue
        blame = end?.blame.rawValue
        message = end?.message
        self.manifestDigest = manifestDigest
        self.tasks = tasks
        worstOutcome = TaskOutcome.worst(of: tasks.compactMap { $0.outcome.flatMap(TaskOutcome.init) })?.rawValue
        self.assertions = assertions
        self.isStopping = isStopping
    }

    private enum CodingKeys: String, CodingKey {
        case launch, plugin, lane, cause, pid, outcome, blame, message, tasks, assertions
        case startedAt = "started_at_ns"
        case startedAtSecond = "started_at"
        case endedAt = "ended_at_ns"
        case endedAtSecond = "ended_at"
        case budget = "budget_ns"
        case gracePeriod = "grace_period_ns"
        case used = "used_ns"
        case manifestDigest = "manifest_digest"
        case worstOutcome = "worst_outcome"
        case isStopping = "stopping"
    }

    package struct Task: Codable, Hashable, Sendable {
        /// The task identifier; nil for an event.
        package let identifier: String?
        /// The name of the event; nil for a task.
        package let eventName: String?
        package let kind: String
        package let submission: Int64
        package let outcome: String?
        package let blame: String?
        package let message: String?
        package let endedAt: Timestamp?
        private let endedAtSecond: CalendarTime?
        /// The submitter of the request: a plugin identifier, `user` for a user, or `schedule` for a schedule of the
        /// operator; nil for an event.
        package let submitter: String?
        /// The time at which the request was submitted, or the event created.
        package let submittedAt: Timestamp
        private let submittedAtSecond: CalendarTime
        /// The earliest begin of the request; nil without one, and for an event.
        package let earliestBegin: Timestamp?
        private let earliestBeginSecond: CalendarTime?
        /// The stored cursor of the task; nil when it has none.
        package var cursor: CursorSummary?

        package init(
            task: String,
            kind: TaskKind,
            submission: SubmissionNumber,
            outcome: TaskOutcome? = nil,
            blame: Blame? = nil,
            message: String? = nil,
            endedAt: WallTime? = nil,
            submitter: Submitter? = nil,
            submittedAt: WallTime,
            earliestBegin: WallTime? = nil
        ) {
            let label = WorkLabel(task)
            (identifier, eventName) = (label.identifier, label.eventName)
            self.kind = kind.name
            self.submission = submission.rawValue
            self.outcome = outcome?.rawValue
            self.blame = blame?.rawValue
            self.message = message
            self.endedAt = endedAt.map(Timestamp.init)
            endedAtSecond = self.endedAt.map(CalendarTime.init(secondOf:))
            self.submitter = submitter?.name
            self.submittedAt = Timestamp(submittedAt)
            submittedAtSecond = CalendarTime(secondOf: self.submittedAt)
            self.earliestBegin = earliestBegin.map(Timestamp.init)
            earliestBeginSecond = self.earliestBegin.map(CalendarTime.init(secondOf:))
        }

        /// The task identifier, or the name of an event.
        package var task: String { identifier ?? eventName ?? "" }

        private enum CodingKeys: String, CodingKey {
            case identifier, kind, submission, outcome, blame, message, submitter, cursor
            case eventName = "event_name"
            case endedAt = "ended_at_ns"
            case endedAtSecond = "ended_at"
            case submittedAt = "submitted_at_ns"
            case submittedAtSecond = "submitted_at"
            case earliestBegin = "earliest_begin_ns"
            case earliestBeginSecond = "earliest_begin"
        }
    }
}

/// The answer to `GET /v1/launches`: a page of launches, newest first.
package struct LaunchListReply: Codable, Hashable, Sendable {
    package var launches: [LaunchReply]
    /// Value of the query parameter `after` for the next page; nil at the end of the list.
    package var next: String?

    package init(launches: [LaunchReply], next: LaunchNumber? = nil) {
        self.launches = launches
        self.next = next?.description
    }
}

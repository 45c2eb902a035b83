// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/tasks`: a page of the pending requests, running tasks and waiting events.
package struct TaskListReply: Codable, Hashable, Sendable {
    /// Pending requests, sorted by plugin, then by submission number.
    package var pending: [Pending]
    /// On the first page all running tasks. On a later page those whose place in the list is after the previous page,
    /// because one of them may have started since: a running task may be on several pages.
    package var running: [Running]
    /// Waiting events, sorted by plugin, then by submission number.
    package var events: [Event]
    /// Value of the query parameter `after` for the next page; nil at the end of the list.
    package var next: String?
    /// Whether the host is still loading. The work of plugins that are not loaded yet is missing from the list.
    package var isPartial: Bool

    package init(
        pending: [Pending],
        running: [Running],
        events: [Event],
        next: WorkCursor? = nil,
        isPartial: Bool = false
    ) {
        self.pending = pending
        self.running = running
        self.events = events
        self.next = next?.text
        self.isPartial = isPartial
    }

    /// Adds a further page of the list. Work that was on an earlier page keeps its first place.
    package mutating func add(_ page: TaskListReply) {
        var listed = Set(pending.map(\.submission) + running.map(\.submission) + events.map(\.submission))
        running += page.running.filter { listed.insert($0.submission).inserted }
        pending += page.pending.filter { listed.insert($0.submission).inserted }
        events += page.events.filter { listed.insert($0.submission).inserted }
        next = page.next
        isPartial = isPartial || page.isPartial
    }

    private enum CodingKeys: String, CodingKey {
        case pending, running, events, next
        case isPartial = "partial"
    }

    package struct Pending: Codable, Hashable, Sendable {
        package let plugin: String
        package let identifier: String
        package let kind: String
        package let submission: Int64
        /// The submitter of the request: a plugin identifier, `user` for a user, or `schedule` for a schedule of the
        /// operator.
        package let submitter: String
        package let submittedAt: Timestamp
        private let submittedAtSecond: CalendarTime
        package let earliestBegin: Timestamp?
        private let earliestBeginSecond: CalendarTime?
        /// The deadline; nil without one.
        package let expiresAt: Timestamp?
        private let expiresAtSecond: CalendarTime?
        package let requiresNetwork: Bool
        package let requiresExternalPower: Bool
        /// Number of attempts charged for interruptions.
        package let attempts: Int
        /// Number of failures after which the host retried the task.
        package let failures: Int
        /// The title of a continued request; nil for other kinds.
        package let title: String?
        /// The first reason that blocks the request; nil when it may run now.
        package let reason: WaitingReason?
        /// The cursor at which the task continues; nil when it has none.
        package var cursor: CursorSummary?
        /// The claim of the request; nil for one that is not from the queue of a fleet.
        package let claim: ClaimBody?

        package init(_ pending: PendingRequest, reason: WaitingReason?) {
            plugin = pending.plugin.text
            identifier = pending.request.identifier.text
            kind = pending.request.kind.name
            submission = pending.number.rawValue
            submitter = pending.submitter.name
            submittedAt = Timestamp(pending.submittedAt)
            submittedAtSecond = CalendarTime(secondOf: self.submittedAt)
            earliestBegin = pending.request.earliestBegin.map(Timestamp.init)
            earliestBeginSecond = self.earliestBegin.map(CalendarTime.init(secondOf:))
            expiresAt = pending.request.expiresAt.map(Timestamp.init)
            expiresAtSecond = self.expiresAt.map(CalendarTime.init(secondOf:))
            requiresNetwork = pending.request.requiresNetwork
            requiresExternalPower = pending.request.requiresExternalPower
            attempts = pending.retry.attempts
            failures = pending.retry.failures
            title = pending.request.continued?.title
            self.reason = reason
            claim = pending.request.claim.map { ClaimBody($0.claim) }
        }

        /// Number of attempts that did not succeed.
        package var failedAttempts: Int { attempts + failures }

        private enum CodingKeys: String, CodingKey {
            case plugin, identifier, kind, submission, submitter, attempts, failures, title, reason
            case cursor, claim
            case submittedAt = "submitted_at_ns"
            case submittedAtSecond = "submitted_at"
            case earliestBegin = "earliest_begin_ns"
            case earliestBeginSecond = "earliest_begin"
            case expiresAt = "expires_at_ns"
            case expiresAtSecond = "expires_at"
            case requiresNetwork = "requires_network"
            case requiresExternalPower = "requires_external_power"
        }
    }

    package struct Running: Codable, Hashable, Sendable {
        package let plugin: String
        /// The task identifier; nil for an event.
        package let identifier: String?
        /// The name of the event; nil for a task.
        package let eventName: String?
        package let kind: String
        package let submission: Int64
        package let launch: Int64
        package let startedAt: Timestamp
        private let startedAtSecond: CalendarTime
        /// The budget of the launch; nil for a continued task, which the budget does not limit, and without a fixed
        /// budget.
        package let budget: Nanoseconds?
        package let used: Nanoseconds
        package let isExpiring: Bool
        /// The current title of a continued task; nil for other kinds.
        package let title: String?
        package let subtitle: String?
        /// The reported progress of a continued task or a transfer; nil until the task reports any.
        package let progress: Progress?
        /// The stored cursor of the task; nil when it has none.
        package var cursor: CursorSummary?
        /// The claim of the task; nil for one that is not from the queue of a fleet.
        package let claim: ClaimBody?

        package init(
            _ work: PendingWork,
            launch: LaunchNumber,
            startedAt: WallTime,
            budget: Duration?,
            used: Duration,
            isExpiring: Bool = false,
            title: (text: String, subtitle: String?)? = nil,
            progress: TaskProgress? = nil
        ) {
            plugin = work.plugin.text
            let label = WorkLabel(work.label)
            (identifier, eventName) = (label.identifier, label.eventName)
            kind = work.kind.name
            submission = work.number.rawValue
            self.launch = launch.rawValue
            self.startedAt = Timestamp(startedAt)
            startedAtSecond = CalendarTime(secondOf: self.startedAt)
            self.budget = budget.map { Nanoseconds($0) }
            self.used = Nanoseconds(used)
            self.isExpiring = isExpiring
            (self.title, subtitle) = (title?.text, title?.subtitle)
            self.progress = progress.map { Progress(done: $0.done, total: $0.knownTotal) }
            claim = work.claim.map { ClaimBody($0.claim) }
        }

        package struct Progress: Codable, Hashable, Sendable {
            package let done: Int64
            /// Nil while the total is unknown.
            package let total: Int64?

            package init(done: Int64, total: Int64?) {
                self.done = done
                self.total = total
            }

            /// The progress for users, such as `3 of 8`; without a total the part that is done.
            package var text: String { total.map { "\(done) of \($0)" } ?? "\(done)" }
        }

        /// The task identifier, or the name of an event.
        package var task: String { identifier ?? eventName ?? "" }

        private enum CodingKeys: String, CodingKey {
            case plugin, identifier, kind, submission, launch, title, subtitle, progress, cursor, claim
            case isExpiring = "expiring"
            case eventName = "event_name"
            case startedAt = "started_at_ns"
            case startedAtSecond = "started_at"
            case budget = "budget_ns"
            case used = "used_ns"
        }
    }

    package struct Event: Codable, Hashable, Sendable {
        package let plugin: String
        package let eventName: String
        package let submission: Int64
        package let createdAt: Timestamp
        private let createdAtSecond: CalendarTime
        package let attempts: Int
        /// The first reason that blocks the event; nil when it may be delivered now.
        package let reason: WaitingReason?

        package init(_ event: PendingEvent, reason: WaitingReason?) {
            plugin = event.plugin.text
            eventName = event.type.name
            submission = event.number.rawValue
            createdAt = Timestamp(event.createdAt)
            createdAtSecond = CalendarTime(secondOf: self.createdAt)
            attempts = event.retry.attempts
            self.reason = reason
        }

        private enum CodingKeys: String, CodingKey {
            case plugin, submission, attempts, reason
            case eventName = "event_name"
            case createdAt = "created_at_ns"
            case createdAtSecond = "created_at"
        }
    }
}

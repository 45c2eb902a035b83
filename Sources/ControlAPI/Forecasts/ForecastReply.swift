// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `POST /v1/forecast`.
package struct ForecastReply: Codable, Hashable, Sendable {
    package let now: Timestamp
    private let nowSecond: CalendarTime
    package let until: Timestamp
    private let untilSecond: CalendarTime
    /// Whether the forecast reaches `until` and includes all work.
    package let isComplete: Bool
    /// Nil when the forecast is complete.
    package let cut: Cut?
    /// The time up to which the launches are computed.
    package let computedUntil: Timestamp
    private let computedUntilSecond: CalendarTime
    /// The running launches, then the future ones by their begin.
    package let launches: [Launch]
    /// Number of launches, with those beyond the limit of the order.
    package let launchCount: Int
    /// The work that still waits at `computedUntil`.
    package let waiting: [Wait]
    package let waitingCount: Int
    package let conditions: ConditionsReply
    package let policies: PoliciesInForce
    /// The assumptions, as sentences.
    package let assumptions: [String]

    package init(
        now: WallTime,
        until: WallTime,
        cut: Cut?,
        computedUntil: WallTime,
        launches: [Launch],
        launchCount: Int,
        waiting: [Wait],
        waitingCount: Int,
        conditions: ConditionsReply,
        policies: PoliciesInForce,
        assumptions: [String]
    ) {
        self.now = Timestamp(now)
        nowSecond = CalendarTime(secondOf: self.now)
        self.until = Timestamp(until)
        untilSecond = CalendarTime(secondOf: self.until)
        isComplete = cut == nil
        self.cut = cut
        self.computedUntil = Timestamp(computedUntil)
        computedUntilSecond = CalendarTime(secondOf: self.computedUntil)
        self.launches = launches
        self.launchCount = launchCount
        self.waiting = waiting
        self.waitingCount = waitingCount
        self.conditions = conditions
        self.policies = policies
        self.assumptions = assumptions
    }

    private enum CodingKeys: String, CodingKey {
        case cut, launches, waiting, conditions, policies, assumptions
        case now = "now_ns"
        case nowSecond = "now"
        case until = "until_ns"
        case untilSecond = "until"
        case isComplete = "complete"
        case computedUntil = "computed_until_ns"
        case computedUntilSecond = "computed_until"
        case launchCount = "launch_count"
        case waitingCount = "waiting_count"
    }

    /// The reason why a forecast is not complete.
    package struct Cut: Codable, Hashable, Sendable {
        package let reason: String
        package let message: String

        package init(reason: String, message: String) {
            self.reason = reason
            self.message = message
        }
    }
}

extension ForecastReply {
    package struct Launch: Codable, Hashable, Sendable {
        /// The number of a running launch; nil for a future one.
        package let launch: Int64?
        package let beginsAt: Timestamp
        private let beginsAtSecond: CalendarTime
        /// Nil when the launch runs at the end of the forecast.
        package let endsAt: Timestamp?
        private let endsAtSecond: CalendarTime?
        package let plugin: String
        package let lane: String
        package let tasks: [Task]

        package init(
            _ launch: LaunchNumber?,
            of plugin: PluginIdentifier,
            lane: Lane,
            begin: WallTime,
            end: WallTime?,
            tasks: [Task]
        ) {
            self.launch = launch?.rawValue
            beginsAt = Timestamp(begin)
            beginsAtSecond = CalendarTime(secondOf: beginsAt)
            endsAt = end.map(Timestamp.init)
            endsAtSecond = endsAt.map(CalendarTime.init(secondOf:))
            self.plugin = plugin.text
            self.lane = lane.name
            self.tasks = tasks
        }

        private enum CodingKeys: String, CodingKey {
            case launch, plugin, lane, tasks
            case beginsAt = "begins_at_ns"
            case beginsAtSecond = "begins_at"
            case endsAt = "ends_at_ns"
            case endsAtSecond = "ends_at"
        }
    }

    package struct Task: Codable, Hashable, Sendable {
        package let identifier: String?
        package let eventName: String?
        package let kind: String
        /// Nil for a submission that the forecast assumes.
        package let submission: Int64?
        package let origin: String
        /// The expected running time.
        package let takes: Nanoseconds
        /// The source of the expected running time.
        package let basis: String

        package init(_ work: PendingWork, isAssumed: Bool, origin: String, takes: Duration, basis: String) {
            identifier = work.identifier?.text
            eventName = work.identifier == nil ? work.label : nil
            kind = work.kind.name
            submission = isAssumed ? nil : work.number.rawValue
            self.origin = origin
            self.takes = Nanoseconds(takes)
            self.basis = basis
        }

        private enum CodingKeys: String, CodingKey {
            case identifier, kind, submission, origin, basis
            case eventName = "event_name"
            case takes = "takes_ns"
        }
    }

    /// A task or an event that still waits at the end of the forecast.
    package struct Wait: Codable, Hashable, Sendable {
        package let plugin: String
        package let identifier: String?
        package let eventName: String?
        package let kind: String
        package let submission: Int64?
        /// The first reason; nil when the work is about to begin.
        package let reason: WaitingReason?
        package let reasonCount: Int

        package init(_ work: PendingWork, isAssumed: Bool, reason: WaitingReason?, reasonCount: Int) {
            plugin = work.plugin.text
            identifier = work.identifier?.text
            eventName = work.identifier == nil ? work.label : nil
            kind = work.kind.name
            submission = isAssumed ? nil : work.number.rawValue
            self.reason = reason
            self.reasonCount = reasonCount
        }

        private enum CodingKeys: String, CodingKey {
            case plugin, identifier, kind, submission, reason
            case eventName = "event_name"
            case reasonCount = "reason_count"
        }
    }
}

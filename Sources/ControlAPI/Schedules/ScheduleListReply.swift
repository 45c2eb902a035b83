// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/schedules`: a page of the schedules in the operator's configuration.
package struct ScheduleListReply: Codable, Hashable, Sendable {
    /// The schedules, sorted by their next occurrence; those without one come last.
    package var schedules: [Schedule]
    /// Value of the query parameter `after` for the next page; nil at the end of the list.
    package var next: String?
    /// Whether the host is still loading. Schedules of plugins that are not loaded yet have no next occurrence.
    package var isPartial: Bool

    package init(schedules: [Schedule], next: ScheduleCursor? = nil, isPartial: Bool = false) {
        self.schedules = schedules
        self.next = next?.text
        self.isPartial = isPartial
    }

    private enum CodingKeys: String, CodingKey {
        case schedules, next
        case isPartial = "partial"
    }

    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// No request of the task is pending or running: the host submits one at the next occurrence.
        case idle
        case pending
        case running
        /// Every occurrence is refused, and no request is pending or running.
        case blocked
    }

    package struct Schedule: Codable, Hashable, Sendable {
        package let plugin: String
        package let identifier: String
        package let kind: String
        /// The interval or the calendar rule of the schedule, in the notation of the configuration.
        package let rhythm: String
        package let state: State
        /// Time of the next submission; nil while the plugin is not installed, and when no next time is known.
        package let next: Timestamp?
        private let nextSecond: CalendarTime?
        /// The reason that blocks every occurrence of the schedule; nil if none does.
        package let problem: WaitingReason?
        /// Start of the launch in which the task runs or last ran; nil when no such launch is recorded.
        package let lastRun: Timestamp?
        private let lastRunSecond: CalendarTime?
        package let lastOutcome: TaskWhyReply.LastOutcome?

        package init(
            plugin: PluginIdentifier,
            identifier: TaskIdentifier,
            kind: TaskKind,
            rhythm: String,
            state: State,
            next: WallTime? = nil,
            problem: WaitingReason? = nil,
            lastRun: WallTime? = nil,
            lastOutcome: TaskWhyReply.LastOutcome? = nil
        ) {
            self.plugin = plugin.text
            self.identifier = identifier.text
            self.kind = kind.name
            self.rhythm = rhythm
            self.state = state
            self.next = next.map(Timestamp.init)
            nextSecond = self.next.map(CalendarTime.init(secondOf:))
            self.problem = problem
            self.lastRun = lastRun.map(Timestamp.init)
            lastRunSecond = self.lastRun.map(CalendarTime.init(secondOf:))
            self.lastOutcome = lastOutcome
        }

        /// The plugin and the identifier, which no other schedule of the list has.
        package var task: [String] { [plugin, identifier] }

        private enum CodingKeys: String, CodingKey {
            case plugin, identifier, kind, rhythm, state, problem
            case next = "next_ns"
            case nextSecond = "next"
            case lastRun = "last_run_ns"
            case lastRunSecond = "last_run"
            case lastOutcome = "last_outcome"
        }
    }
}

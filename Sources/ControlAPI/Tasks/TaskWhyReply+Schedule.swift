// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// The schedule of a task, and the replacements of its pending request.
extension TaskWhyReply {
    /// The operator's schedule of the task.
    package struct Schedule: Codable, Hashable, Sendable {
        /// The plugin under which the configuration has the schedule.
        package let plugin: String
        package let kind: String
        /// The interval or the calendar rule of the schedule, in the notation of the configuration.
        package let rhythm: String

        package init(plugin: PluginIdentifier, kind: TaskKind, rhythm: String) {
            self.plugin = plugin.text
            self.kind = kind.name
            self.rhythm = rhythm
        }
    }

    /// The replacements of the pending request since the last time without a pending request of the task, or since the
    /// start of the host.
    package struct Replacements: Codable, Hashable, Sendable {
        package let count: Int
        /// Time of submission of the first replaced request.
        package let since: Timestamp
        private let sinceSecond: CalendarTime
        /// Time of the last replacement.
        package let last: Timestamp
        private let lastSecond: CalendarTime
        /// The submitters of the replacing requests, the most frequent first.
        package let submitters: [Submitter]

        package init(since: WallTime, last: WallTime, submitters: [TaskModel.Submitter: Int]) {
            count = submitters.values.reduce(0, +)
            self.since = Timestamp(since)
            sinceSecond = CalendarTime(secondOf: self.since)
            self.last = Timestamp(last)
            lastSecond = CalendarTime(secondOf: self.last)
            self.submitters = submitters.map { Submitter(submitter: $0.key.name, count: $0.value) }
                .sorted { ($1.count, $0.submitter) < ($0.count, $1.submitter) }
        }

        package struct Submitter: Codable, Hashable, Sendable {
            /// A plugin identifier, `user` for a user, or `schedule` for a schedule of the operator.
            package let submitter: String
            package let count: Int
        }

        private enum CodingKeys: String, CodingKey {
            case count, submitters
            case since = "since_ns"
            case sinceSecond = "since"
            case last = "last_ns"
            case lastSecond = "last"
        }
    }
}

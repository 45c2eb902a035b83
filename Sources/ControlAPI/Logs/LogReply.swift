// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/logs`: lines that launches wrote, oldest first.
package struct LogReply: Codable, Hashable, Sendable {
    package var lines: [LaunchLogLine]
    /// Value of the query parameter `before` for the page of older lines; nil when there is none.
    package var next: String?

    package init(lines: [LaunchLogLine], next: String? = nil) { (self.lines, self.next) = (lines, next) }
}

/// One line of the log of a launch; also one line of the stream.
package struct LaunchLogLine: Codable, Hashable, Sendable {
    /// Time at which the host received the line.
    package let at: Timestamp
    private let atSecond: CalendarTime
    package let plugin: String
    package let launch: Int64
    /// Position of the line in the log of its launch, from 1. A gap shows that lines were not kept.
    package let number: Int64
    package let level: String
    package let stream: String
    /// The task that the line is about; nil for a line about the launch or an event.
    package let identifier: String?
    /// The name of the event that the line is about; nil for any other line.
    package let eventName: String?
    /// The text with control characters escaped.
    package let text: String

    /// - Parameter task: the task identifier or the name of an event; nil for a line about the launch.
    package init(
        at: WallTime,
        plugin: PluginIdentifier,
        launch: LaunchNumber,
        number: Int64,
        level: LogLevel,
        stream: LogStream,
        task: String?,
        text: String
    ) {
        self.at = Timestamp(at)
        atSecond = CalendarTime(secondOf: self.at)
        self.plugin = plugin.text
        self.launch = launch.rawValue
        self.number = number
        self.level = level.name
        self.stream = stream.rawValue
        let label = WorkLabel(task)
        (identifier, eventName) = (label.identifier, label.eventName)
        self.text = text
    }

    /// The task identifier, or the name of the event; nil for a line about the launch.
    package var task: String? { identifier ?? eventName }

    private enum CodingKeys: String, CodingKey {
        case plugin, launch, number, level, stream, identifier, text
        case at = "at_ns"
        case atSecond = "at"
        case eventName = "event_name"
    }
}

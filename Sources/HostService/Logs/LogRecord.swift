// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// One line of a launch's log. In the file its fields are separated by tabs: time, number, level, stream, task or `-`,
/// text. Control characters in the text are escaped, so that it contains neither a tab nor a line end.
struct LogRecord: Hashable, Sendable {
    /// Maximum size of the text in bytes, after control characters are escaped.
    static let longestText = 32_768

    /// Time at which the host received the line; it never decreases within a launch.
    let at: WallTime
    /// Position of the line in its launch, from 1. A gap shows that lines were not kept.
    let number: Int64
    let level: LogLevel
    let stream: LogStream
    /// The task identifier or the name of an event; nil for a line about the launch.
    let task: String?
    let text: String

    init(at: WallTime, number: Int64, _ level: LogLevel, _ stream: LogStream, task: String?, text: String) {
        (self.at, self.number, self.level, self.stream, self.task) = (at, number, level, stream, task)
        self.text = text.terminalSafe.bounded(toBytes: Self.longestText)
    }

    /// Parses a line of a file without its newline; nil for a malformed one, such as a line that a crash cut.
    init?(line: Substring) {
        let parts = line.split(separator: "\t", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, let at = Timestamp(String(parts[0])), let number = Int64(parts[1]),
            let level = LogLevel(named: parts[2]), let stream = LogStream(rawValue: String(parts[3]))
        else { return nil }
        (self.at, self.number, self.level, self.stream) = (at.wall, number, level, stream)
        task = parts[4] == "-" ? nil : String(parts[4])
        text = String(parts[5])
    }

    /// The line of the file, with its newline.
    var line: String {
        "\(Timestamp(at))\t\(number)\t\(level.name)\t\(stream.rawValue)\t\(task ?? "-")\t\(text)\n"
    }
}

/// A line of a log with its launch.
struct LogEntry: Hashable, Sendable {
    let plugin: PluginIdentifier
    let launch: LaunchNumber
    let record: LogRecord

    var position: LogPosition { LogPosition(at: record.at, launch: launch, number: record.number) }
}

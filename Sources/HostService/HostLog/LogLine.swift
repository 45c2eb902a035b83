// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Logging
import TaskModel

/// One line of the host's log: time, level, message, fields, with control characters escaped. In systemd's journal,
/// which records times itself, the line begins with the prefix `<N>` for the level instead of time and level.
struct LogLine {
    let level: Logger.Level
    let message: String
    let fields: Logger.Metadata
    let time: WallTime

    /// The line as written.
    ///
    /// - Parameter isInJournal: whether standard error is a stream of systemd's journal.
    func text(isInJournal: Bool) -> String {
        let instant = CalendarTime(secondOf: Timestamp(time))
        return (isInJournal ? "<\(level.severity)>" : "\(instant) \(level.rawValue): ") + contents
    }

    /// Message and fields, without time and level.
    var contents: String {
        let fields = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted($0.value.description))" }
        return Self.oneLine(message) + fields.joined()
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "; ").terminalSafe
    }

    /// The value with its line breaks replaced by `; `. A value that is empty or contains a space is in double quotes;
    /// double quotes within it become single quotes.
    private static func quoted(_ value: String) -> String {
        let line = oneLine(value)
        return line.contains(" ") || line.isEmpty ? "\"\(line.replacing("\"", with: "'"))\"" : line
    }
}

extension Logger.Level {
    /// The level as a severity number of syslog.
    var severity: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

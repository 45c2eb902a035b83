// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation
import TaskModel
import TerminalText

/// Parses the times of all options, in one notation. The thrown error names the rule.
enum TimeArgument {
    /// The values for help texts.
    static let forms =
        "a time of day such as 02:00, a date such as 2026-01-31, both such as \"2026-01-31 02:00\", an RFC 3339 time, "
        + "today, yesterday or tomorrow"

    /// A time of an option about the future: a time of day means its next occurrence, and `+15min` a delay.
    static func future(_ text: String, for reader: Reader = CommandContext.current.reader) throws -> WallTime {
        if let time = time(text, for: reader, isPast: false) { return time }
        let delay = text.trimmingPrefix("+")
        if DurationText.duration(delay) != nil { throw problem(text, "write +\(delay) for a delay") }
        if let delay = DurationText.correction(of: delay) { throw problem(text, "write +\(delay) for a delay") }
        throw problem(text, "write \(forms), or a delay such as +15min or +1h30m (\(DurationText.units))")
    }

    /// A time of an option about the past: a time of day means its last occurrence, and `2h` or `-2h` a time before
    /// now.
    static func past(_ text: String) throws -> WallTime { try past(text, for: CommandContext.current.reader) }

    static func past(_ text: String, for reader: Reader) throws -> WallTime {
        if let time = time(text, for: reader, isPast: true) { return time }
        if let span = DurationText.correction(of: text[...]) { throw problem(text, "write \(span)") }
        throw problem(text, "write \(forms), or a duration before now such as 2h or 1d12h (\(DurationText.units))")
    }

    private static func problem(_ text: String, _ remedy: String) -> ValidationError {
        ValidationError("\(text.inQuotes) is not a time, or not one of the years 1678 to 2261; \(remedy)")
    }

    private static func time(_ text: String, for reader: Reader, isPast: Bool) -> WallTime? {
        if let time = Timestamp(text)?.wall ?? distance(text, from: reader.now, isPast: isPast) { return time }
        return CalendarText(reader).time(text, isPast: isPast)
    }

    /// A time before or after now: `+5min`, `-5min`, `5min ago`; without a sign only before now.
    private static func distance(_ text: String, from now: WallTime, isPast: Bool) -> WallTime? {
        if text.hasPrefix("+") { return DurationText.duration(text.dropFirst()).map { now + $0 } }
        let isBefore = text.hasPrefix("-") || text.hasSuffix(" ago")
        guard isBefore || isPast else { return nil }
        let span = text.hasPrefix("-") ? text.dropFirst() : text.hasSuffix(" ago") ? text.dropLast(4) : text[...]
        return DurationText.duration(span).map { now + (.zero - $0) }
    }
}

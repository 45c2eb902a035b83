// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Parses a duration that a user writes in a command or a call, in the notation of the configuration: `90s`, `1h30min`.
package enum DurationText {
    package static let units = Measure.durations.words

    /// The duration that `text` denotes; nil when `text` is malformed or negative, or exceeds 64 bits of nanoseconds.
    package static func duration(_ text: Substring) -> Duration? {
        guard case .value(let milliseconds) = Measure.durations.reading(of: String(text)),
            (0...Int64.max / 1_000_000).contains(milliseconds)
        else { return nil }
        return .milliseconds(milliseconds)
    }

    /// Whether `text` denotes a duration that exceeds 64 bits of nanoseconds, which are 292 years.
    package static func isTooLong(_ text: Substring) -> Bool {
        switch Measure.durations.reading(of: String(text)) {
        case .value(let milliseconds): milliseconds > Int64.max / 1_000_000
        case .tooLarge: !text.hasPrefix("-")
        case .flawed: false
        }
    }

    /// The corrected notation of a duration with a flaw, as `15min` for `15m`; nil when there is none.
    package static func correction(of text: Substring) -> String? {
        guard case .flawed(_, let remedy?) = Measure.durations.reading(of: String(text)) else { return nil }
        let notation = remedy.trimmingPrefix("write ")
        return duration(notation) == nil ? nil : String(notation)
    }
}

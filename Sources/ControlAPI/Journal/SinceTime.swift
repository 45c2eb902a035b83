// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Parses the earliest time of journal entries, written as an RFC 3339 time or as a duration before now.
package enum SinceTime {
    /// The remedy for text that is no time.
    package static func remedy(for text: String) -> String {
        DurationText.correction(of: text[...]).map { "write \($0)" } ?? rule
    }

    private static let rule =
        "write an RFC 3339 time of the years 1678 to 2261 such as 2026-01-31T02:00:00Z, or a duration before now, such as"
        + " 2h (\(DurationText.units))"

    /// The time that `text` denotes; nil when `text` is neither an RFC 3339 time nor a duration. A duration that 64 bits
    /// of nanoseconds do not hold denotes the earliest time.
    package static func instant(_ text: String, now: WallTime) -> WallTime? {
        if let time = Timestamp(text)?.wall { return time }
        if DurationText.isTooLong(text[...]) { return WallTime(nanoseconds: .min) }
        return DurationText.duration(text[...]).map { now + (.zero - $0) }
    }
}

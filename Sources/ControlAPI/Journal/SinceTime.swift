// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The instant from which on entries are wanted, written as such or as how long ago it was.
package enum SinceTime {
    package static let rule =
        "write an RFC 3339 time such as 2026-01-31T02:00:00Z, or how long ago, such as 2h (\(DurationText.units))"

    /// Nil when `text` is neither.
    package static func instant(_ text: String, now: WallTime) -> WallTime? {
        Timestamp(text)?.wall ?? DurationText.duration(text[...]).map { now + (.zero - $0) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import Foundation
import TaskModel

extension Timestamp {
    /// Date and time in the reader's zone, as `2026-01-31 02:00:00`.
    package func localText(for reader: Reader) -> String {
        let date = Date(timeIntervalSince1970: Double(wall.nanoseconds / 1_000_000_000))
        let shifted = wall + .seconds(reader.timeZone.secondsFromGMT(for: date))
        let text = Timestamp(shifted).description
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }

    /// The time of day for a time on the reader's present day; date and time for any other.
    package func briefText(for reader: Reader) -> String {
        let text = localText(for: reader)
        let today = Timestamp(reader.now).localText(for: reader).prefix(10)
        return text.hasPrefix(today) ? String(text.dropFirst(11)) : text
    }

    /// The distance from the present, such as `in 12min`, `3s ago` or `now`. Rounded to whole seconds below ten
    /// minutes, to whole minutes above.
    package func relativeText(for reader: Reader) -> String {
        let distance = (wall - reader.now).wholeNanoseconds
        let unit: Int64 = distance.magnitude < 600_000_000_000 ? 1_000_000_000 : 60_000_000_000
        let rounded = (Int64(distance.magnitude / 2) + unit / 4) / (unit / 2) * unit
        if rounded == 0 { return "now" }
        let text = Duration.nanoseconds(rounded).humanReadable
        return distance > 0 ? "in \(text)" : "\(text) ago"
    }

    /// Date and time in the reader's zone, with the distance from the present in parentheses.
    package func text(for reader: Reader) -> String { "\(localText(for: reader)) (\(relativeText(for: reader)))" }
}

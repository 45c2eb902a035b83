// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import Foundation
import TaskModel

extension Timestamp {
    /// `2026-01-31 02:00:00` in the reader's zone.
    package func localText(for reader: Reader) -> String {
        let date = Date(timeIntervalSince1970: Double(wall.nanoseconds / 1_000_000_000))
        let shifted = wall + .seconds(reader.timeZone.secondsFromGMT(for: date))
        let text = Timestamp(shifted).description
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }

    /// The time of day alone while the reader's day lasts, else date and time.
    package func briefText(for reader: Reader) -> String {
        let text = localText(for: reader)
        let today = Timestamp(reader.now).localText(for: reader).prefix(10)
        return text.hasPrefix(today) ? String(text.dropFirst(11)) : text
    }

    /// `in 12min`, `3s ago`, `now`; to the second, from ten minutes on to the minute.
    package func relativeText(for reader: Reader) -> String {
        let distance = (wall - reader.now).wholeNanoseconds
        let unit: Int64 = distance.magnitude < 600_000_000_000 ? 1_000_000_000 : 60_000_000_000
        let rounded = (Int64(distance.magnitude / 2) + unit / 4) / (unit / 2) * unit
        if rounded == 0 { return "now" }
        let text = Duration.nanoseconds(rounded).humanReadable
        return distance > 0 ? "in \(text)" : "\(text) ago"
    }

    /// Both.
    package func text(for reader: Reader) -> String { "\(localText(for: reader)) (\(relativeText(for: reader)))" }
}

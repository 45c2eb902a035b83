// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Calendar time, encoded as RFC 3339 in UTC with nine fractional digits, so that the text sorts by time.
///
/// It is never a local time. Clients convert it for display.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let wall: WallTime

    package init(_ wall: WallTime) { self.wall = wall }

    /// Nil when `text` is not an RFC 3339 time with a zone, or outside the range of 64 bits of nanoseconds.
    package init?(_ text: String) {
        var reader = TimestampReader(text)
        guard let nanoseconds = reader.nanoseconds() else { return nil }
        wall = WallTime(nanoseconds: nanoseconds)
    }

    package static func < (left: Self, right: Self) -> Bool { left.wall < right.wall }

    package var description: String {
        let (seconds, fraction) = wall.nanoseconds.flooredDivision(by: 1_000_000_000)
        let (days, secondOfDay) = seconds.flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        return date.year.padded(to: 4) + "-" + date.month.padded(to: 2) + "-" + date.day.padded(to: 2)
            + "T" + (secondOfDay / 3600).padded(to: 2) + ":" + (secondOfDay / 60 % 60).padded(to: 2)
            + ":" + (secondOfDay % 60).padded(to: 2) + "." + fraction.padded(to: 9) + "Z"
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = Timestamp(text) else {
            let problem = "\"\(text)\" is not an RFC 3339 time such as 2026-01-31T02:00:00Z"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Int64 {
    fileprivate func padded(to width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}

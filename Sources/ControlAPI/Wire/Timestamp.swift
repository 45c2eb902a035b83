// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// An instant, exact to the nanosecond. It is encoded as nanoseconds since 1970 in UTC, in a string of digits, under a
/// key that ends in `_ns`: `jq`, JavaScript and spreadsheets round numbers of that size. Each field has a
/// ``CalendarTime`` beside it.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let wall: WallTime

    package init(_ wall: WallTime) { self.wall = wall }

    /// Parses an RFC 3339 time; nil when `text` is malformed, has no zone, or is outside the range of 64 bits of
    /// nanoseconds.
    package init?(_ text: String) {
        var reader = TimestampReader(text)
        guard let nanoseconds = reader.nanoseconds() else { return nil }
        wall = WallTime(nanoseconds: nanoseconds)
    }

    package static func < (left: Self, right: Self) -> Bool { left.wall < right.wall }

    /// The instant in RFC 3339, in UTC, with nine fractional digits, so that the order of the strings is the order of
    /// the instants.
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
        guard let nanoseconds = Int64(text), String(nanoseconds) == text else {
            let problem = "\"\(text)\" is not a whole number of nanoseconds in 64 bits, as the host writes it"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
        }
        wall = WallTime(nanoseconds: nanoseconds)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(wall.nanoseconds))
    }
}

extension Int64 {
    fileprivate func padded(to width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// An instant to the whole second, encoded as RFC 3339. Replies are in UTC without a fraction, as `fromdate` of jq and
/// spreadsheets read it; requests may have any fraction and zone.
package struct CalendarTime: Hashable, Sendable, CustomStringConvertible {
    package let time: Timestamp

    package init(_ time: Timestamp) { self.time = time }

    /// Creates the whole second that contains `time`, rounded down.
    package init(secondOf time: Timestamp) {
        let nanoseconds = time.wall.nanoseconds
        let remainder = nanoseconds % Self.second
        let fraction = remainder < 0 ? remainder + Self.second : remainder
        // The first second that 64 bits hold is not whole: it keeps its fraction.
        let (start, hasOverflow) = nanoseconds.subtractingReportingOverflow(fraction)
        self.time = Timestamp(WallTime(nanoseconds: hasOverflow ? nanoseconds : start))
    }

    private static let second: Int64 = 1_000_000_000

    package var description: String {
        let text = time.description
        return time.wall.nanoseconds % Self.second == 0 ? text.prefix(19) + "Z" : text
    }
}

extension CalendarTime: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = Timestamp(text) else {
            let problem = "\"\(text)\" is not an RFC 3339 time such as 2026-01-31T02:00:00Z"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
        }
        self.time = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

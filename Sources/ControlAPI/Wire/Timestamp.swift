// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// An instant, exact to the nanosecond. On the wire: nanoseconds since 1970 in UTC as a string of digits, under a key
/// that ends in `_ns`, since `jq`, JavaScript and spreadsheets round numbers of that size. Each has a ``CalendarTime``
/// beside it.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let wall: WallTime

    package init(_ wall: WallTime) { self.wall = wall }

    /// Nil when `text` is no RFC 3339 time with a zone, or not in the years that 64 bits of nanoseconds hold.
    package init?(_ text: String) {
        var reader = TimestampReader(text)
        guard let nanoseconds = reader.nanoseconds() else { return nil }
        wall = WallTime(nanoseconds: nanoseconds)
    }

    package static func < (left: Self, right: Self) -> Bool { left.wall < right.wall }

    /// RFC 3339, in UTC, with nine fractional digits, so that text sorts as time does.
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
        guard let nanoseconds = Int64(text) else {
            let problem = "\"\(text)\" is not a number of nanoseconds in digits"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
        }
        wall = WallTime(nanoseconds: nanoseconds)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(wall.nanoseconds))
    }
}

/// A day of the Gregorian calendar, extended to all years.
struct CivilDate: Hashable {
    var year: Int64
    var month: Int64
    var day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    // Years are counted from March here, so that the leap day is a year's last and months need no table.
    init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    var exists: Bool { (1...12).contains(month) && day >= 1 && CivilDate(daysSince1970: daysSince1970) == self }
}

extension Int64 {
    fileprivate func padded(to width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }

    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

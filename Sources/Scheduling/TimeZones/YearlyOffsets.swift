// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The offsets of a time zone that repeat each year, as in the POSIX rule at the end of a TZif file.
package struct YearlyOffsets: Hashable, Sendable {
    /// The second offset of the year, usually daylight saving time.
    package struct Daylight: Hashable, Sendable {
        /// Offset in seconds east of UTC.
        package let offset: Int64
        /// Start of the second offset, in standard time.
        package let start: YearlyDate
        /// End of the second offset, in the local time of this offset.
        package let end: YearlyDate

        package init(offset: Int64, start: YearlyDate, end: YearlyDate) {
            self.offset = offset
            self.start = start
            self.end = end
        }
    }

    /// Standard offset, in seconds east of UTC.
    package let standard: Int64
    /// The second offset of the year; nil when the standard offset holds all year.
    package let daylight: Daylight?

    package init(standard: Int64, daylight: Daylight? = nil) {
        self.standard = standard
        self.daylight = daylight
    }

    func offset(at instant: Int64) -> Int64 {
        changes(around: instant).last { $0.at <= instant }?.offset ?? standard
    }

    /// Instant of the first change of offset after `instant`, in seconds since 1970; nil when the offset never changes.
    func nextChange(after instant: Int64) -> Int64? { changes(around: instant).first { $0.at > instant }?.at }

    /// Changes of offset in the year of `instant` and in both neighbouring years, in order.
    private func changes(around instant: Int64) -> [TimeZoneRules.Transition] {
        guard let daylight else { return [] }
        let year = CivilDate(daysSince1970: instant.flooredDivision(by: 86_400).quotient).year
        var ends: [TimeZoneRules.Transition] = []
        var starts: [TimeZoneRules.Transition] = []
        for year in year - 1...year + 1 {
            ends.append(.init(at: daylight.end.seconds(in: year) - daylight.offset, offset: standard))
            starts.append(.init(at: daylight.start.seconds(in: year) - standard, offset: daylight.offset))
        }
        // A rule that starts where it ends has daylight saving time all year: the start is the later of both.
        return Self.merged(ends, starts)
    }

    /// Both lists merged in order of time. Of two changes at the same time, the change in `second` comes later.
    private static func merged(
        _ first: [TimeZoneRules.Transition],
        _ second: [TimeZoneRules.Transition]
    ) -> [TimeZoneRules.Transition] {
        var changes: [TimeZoneRules.Transition] = []
        var rest = first[...]
        for change in second {
            while let earlier = rest.first, earlier.at <= change.at { changes.append(rest.removeFirst()) }
            changes.append(change)
        }
        return changes + rest
    }
}

/// A local time that each year has once, such as 02:00 on the last Sunday of March.
package struct YearlyDate: Hashable, Sendable {
    package enum Day: Hashable, Sendable {
        /// Day of the year from 1 to 365; 29 February is never counted.
        case withoutLeapDay(Int64)
        /// Day of the year from 0 to 365; 29 February is counted.
        case ofYear(Int64)
        /// A weekday of a month: weekday from 0, Sunday, to 6; week from 1 to 5, where 5 is the last of the month.
        case weekday(Int64, week: Int64, month: Int64)
    }

    package let day: Day
    /// Time in seconds from the midnight of the day, negative or positive, up to a week.
    package let time: Int64

    package init(_ day: Day, at time: Int64) {
        self.day = day
        self.time = time
    }

    /// The date in a year, in local seconds since 1970.
    func seconds(in year: Int64) -> Int64 { daysSince1970(in: year) * 86_400 + time }

    private func daysSince1970(in year: Int64) -> Int64 {
        let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
        switch day {
        case .withoutLeapDay(let number):
            let isLeapYear = CivilDate(year: year, month: 2, day: 29).exists
            return newYear + number - 1 + (isLeapYear && number >= 60 ? 1 : 0)
        case .ofYear(let number):
            return newYear + number
        case .weekday(let weekday, let week, let month):
            let first = CivilDate(year: year, month: month, day: 1).daysSince1970
            let wait = weekday + 1 - Int64(CivilDate.weekday(daysSince1970: first))
            let day = first + (wait < 0 ? wait + 7 : wait) + (week - 1) * 7
            let following = month == 12 ? (year + 1, 1) : (year, month + 1)
            let end = CivilDate(year: following.0, month: following.1, day: 1).daysSince1970
            return day < end ? day : day - 7
        }
    }
}

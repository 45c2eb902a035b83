// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A time of day on some days, in a time zone: "02:30", "mon-fri 02:30", "1,15 04:00".
///
/// A scheduled occurrence is a local date: each date that matches has exactly one occurrence, even when the clocks of
/// the zone change on it. If the zone skips the time of day, the occurrence is at the end of the gap. If the time of
/// day comes twice, the occurrence is at the first of both. A date that the zone skips as a whole has no occurrence.
package struct CalendarRule: Hashable, Sendable {
    package let hour: Int
    package let minute: Int
    /// The weekdays, where 1 is Sunday; empty for every weekday.
    package let weekdays: Set<Int>
    /// The days of the month, from 1; empty for every day. A shorter month has no occurrence on the missing days.
    package let days: Set<Int>
    package let zone: ScheduleZone

    /// Maximum number of days that a search for the next occurrence examines. The longest gap is that between two 31sts
    /// on a given weekday: years, not decades.
    private static let daysSearched: Int64 = 366 * 12

    /// Creates a rule; nil when a number is out of range.
    package init?(hour: Int, minute: Int, weekdays: Set<Int> = [], days: Set<Int> = [], zone: ScheduleZone) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), weekdays.allSatisfy((1...7).contains),
            days.allSatisfy((1...31).contains)
        else { return nil }
        self.hour = hour
        self.minute = minute
        self.weekdays = weekdays
        self.days = days
        self.zone = zone
    }

    /// The first scheduled occurrence after `time`; nil when there is none, or the rules of the zone are unknown.
    package func occurrence(after time: WallTime, in zones: TimeZoneTable) -> WallTime? {
        guard let rules = zones[zone] else { return nil }
        let today = Self.date(at: time, rules)
        // Clocks that are set back over midnight bring the day before once more.
        for date in today - 1...today + Self.daysSearched where isOn(date) {
            guard let instant = instant(on: date, rules) else { continue }
            let (nanoseconds, overflow) = instant.multipliedReportingOverflow(by: Self.second)
            if !overflow, nanoseconds > time.nanoseconds { return WallTime(nanoseconds: nanoseconds) }
        }
        return nil
    }

    /// Converts the time of the last occurrence to changed rules of the zone. Under the old rules, the occurrences up
    /// to `time` have the same local dates as, under the new rules, the occurrences up to the result. So no date has
    /// its occurrence twice or never.
    func time(correspondingTo time: WallTime, from old: TimeZoneRules, to new: TimeZoneRules) -> WallTime {
        let seconds = time.nanoseconds.flooredDivision(by: Self.second).quotient
        let tomorrow = Self.date(at: time, old) + 1
        var last = tomorrow
        while last > tomorrow - 3, old.firstInstant(reaching: start(on: last)) > seconds { last -= 1 }
        while last > tomorrow - 6, instant(on: last, new) == nil { last -= 1 }
        let (nanoseconds, overflow) = new.firstInstant(reaching: start(on: last))
            .multipliedReportingOverflow(by: Self.second)
        return overflow ? time : WallTime(nanoseconds: nanoseconds)
    }

    // MARK: Dates, as days since 1970

    private static let second: Int64 = 1_000_000_000
    private static let day: Int64 = 86_400

    private static func date(at time: WallTime, _ rules: TimeZoneRules) -> Int64 {
        rules.localTime(of: time.nanoseconds.flooredDivision(by: second).quotient).flooredDivision(by: day).quotient
    }

    /// Local time of the occurrence on a date, in seconds since 1970; `date` is in days since 1970.
    private func start(on date: Int64) -> Int64 { date * Self.day + Int64(hour * 3600 + minute * 60) }

    /// The occurrence on a date, in seconds since 1970 in UTC; nil when the zone skips the date.
    private func instant(on date: Int64, _ rules: TimeZoneRules) -> Int64? {
        let midnight = rules.firstInstant(reaching: date * Self.day)
        guard rules.localTime(of: midnight) < (date + 1) * Self.day else { return nil }
        return rules.firstInstant(reaching: start(on: date))
    }

    private func isOn(_ date: Int64) -> Bool {
        (weekdays.isEmpty || weekdays.contains(CivilDate.weekday(daysSince1970: date)))
            && (days.isEmpty || days.contains(Int(CivilDate(daysSince1970: date).day)))
    }
}

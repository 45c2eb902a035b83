// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation
package import TaskModel

/// A time of day on certain days: "02:30", "mon-fri 02:30", "1,15 04:00". It has its own time zone; changes to or from
/// summer time neither skip nor repeat an occurrence.
package struct CalendarRule: Hashable, Sendable {
    package let hour: Int
    package let minute: Int
    /// 1 is Sunday; empty for every weekday.
    package let weekdays: Set<Int>
    /// From 1; empty for every day. A shorter month has no occurrence on the missing days.
    package let days: Set<Int>
    package let zone: TimeZone

    /// Nil when a number is out of range.
    package init?(hour: Int, minute: Int, weekdays: Set<Int> = [], days: Set<Int> = [], zone: TimeZone) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), weekdays.allSatisfy((1...7).contains),
            days.allSatisfy((1...31).contains)
        else { return nil }
        self.hour = hour
        self.minute = minute
        self.weekdays = weekdays
        self.days = days
        self.zone = zone
    }

    /// The first occurrence after `time`. A time that the change to summer time skips is replaced by the next existing
    /// time.
    package func occasion(after time: WallTime) -> WallTime? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let wanted = DateComponents(hour: hour, minute: minute, second: 0)
        var date = Date(timeIntervalSince1970: Double(time.nanoseconds) / 1e9)
        // The longest gap, between two 31sts on a given weekday, is years, not decades.
        for _ in 0..<Self.daysLookedAt {
            guard
                let next = calendar.nextDate(
                    after: date,
                    matching: wanted,
                    matchingPolicy: .nextTime,
                    repeatedTimePolicy: .first
                )
            else { return nil }
            let parts = calendar.dateComponents([.weekday, .day], from: next)
            if let weekday = parts.weekday, let day = parts.day, isOn(weekday: weekday, day: day),
                !isRepeated(next, in: calendar, matching: wanted)
            {
                let found = WallTime(nanoseconds: Int64(next.timeIntervalSince1970) * 1_000_000_000)
                return found > time ? found : nil
            }
            date = next
        }
        return nil
    }

    /// Whether the end of summer time repeats the time on that day, so that it was an occurrence before.
    private func isRepeated(_ date: Date, in calendar: Calendar, matching wanted: DateComponents) -> Bool {
        let morning = calendar.startOfDay(for: date).addingTimeInterval(-1)
        let first = calendar.nextDate(
            after: morning,
            matching: wanted,
            matchingPolicy: .nextTime,
            repeatedTimePolicy: .first
        )
        return first.map { $0 < date } ?? false
    }

    private static let daysLookedAt = 366 * 12

    private func isOn(weekday: Int, day: Int) -> Bool {
        (weekdays.isEmpty || weekdays.contains(weekday)) && (days.isEmpty || days.contains(day))
    }
}

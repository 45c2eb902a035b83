// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import TerminalText

/// Parses local dates and times of day, in the time zone of the reader.
struct CalendarText {
    private let calendar: Calendar
    private let now: Date

    init(_ reader: Reader) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = reader.timeZone
        self.calendar = calendar
        now = Date(timeIntervalSince1970: Double(reader.now.nanoseconds) / 1e9)
    }

    /// The time that the text denotes: `now`, a day from its start on, a day with a time of day, or a time of day.
    ///
    /// - Parameter isPast: whether a time of day means its last occurrence instead of the next one.
    func time(_ text: String, isPast: Bool) -> WallTime? {
        if text == "now" { return wall(now) }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }
        if parts.count == 2, let day = day(parts[0]), let clock = clock(parts[1]) {
            return wall(start(of: day, at: clock))
        }
        if parts.count == 1, let day = day(parts[0]) { return wall(start(of: day, at: DateComponents())) }
        guard parts.count == 1, let clock = clock(parts[0]) else { return nil }
        return wall(isPast ? last(clock) : next(clock))
    }

    /// A day: `2026-01-31`, `today`, `yesterday` or `tomorrow`.
    private func day(_ text: Substring) -> DateComponents? {
        if let distance = ["yesterday": -1, "today": 0, "tomorrow": 1][text] {
            let day = calendar.date(byAdding: .day, value: distance, to: now)
            return day.map { calendar.dateComponents([.year, .month, .day], from: $0) }
        }
        guard let numbers = numbers(text, separator: "-", digits: [4...4, 2...2, 2...2]) else { return nil }
        let date = CivilDate(year: Int64(numbers[0]), month: Int64(numbers[1]), day: Int64(numbers[2]))
        return date.exists ? DateComponents(year: numbers[0], month: numbers[1], day: numbers[2]) : nil
    }

    /// A time of day: `02:00` or `02:00:30`.
    private func clock(_ text: Substring) -> DateComponents? {
        let ranges = Array(repeating: 1...2, count: text.count { $0 == ":" } == 1 ? 2 : 3)
        guard let numbers = numbers(text, separator: ":", digits: ranges), (0..<24).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0..<60).contains($0) })
        else { return nil }
        return DateComponents(hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
    }

    private func numbers(_ text: Substring, separator: Character, digits: [ClosedRange<Int>]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == digits.count else { return nil }
        let numbers = zip(parts, digits).compactMap { part, count in
            count.contains(part.count) && part.utf8.allSatisfy(Self.isDigit) ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private func start(of day: DateComponents, at clock: DateComponents) -> Date? {
        var components = day
        (components.hour, components.minute, components.second) = (
            clock.hour ?? 0, clock.minute ?? 0, clock.second ?? 0
        )
        return calendar.date(from: components)
    }

    /// The last occurrence of a time of day: today or, where today's is in the future, yesterday.
    private func last(_ clock: DateComponents) -> Date? {
        let days = ["today", "yesterday"].compactMap { day($0) }
        return days.lazy.compactMap { start(of: $0, at: clock) }.first { $0 <= now }
    }

    private func next(_ clock: DateComponents) -> Date? {
        // A time that a clock change skips stands for the first instant after the gap.
        calendar.nextDate(after: now, matching: clock, matchingPolicy: .nextTime, repeatedTimePolicy: .first)
    }

    /// The date as a time to the second; nil when 64 bits of nanoseconds cannot hold it.
    private func wall(_ date: Date?) -> WallTime? {
        guard let seconds = date.flatMap({ Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) }) else {
            return nil
        }
        let (nanoseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooFar ? nil : WallTime(nanoseconds: nanoseconds)
    }
}

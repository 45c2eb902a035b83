// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Foundation
import TaskModel
import TerminalText

/// The time of `--not-before`, written as a time of day (`02:00`), an RFC 3339 time or a delay (`+15min`).
struct BeginTime: Hashable {
    let time: WallTime

    init(_ text: String, for reader: Reader) throws {
        if let time = Self.delayed(text, from: reader.now) ?? Self.ofDay(text, for: reader) ?? Timestamp(text)?.wall {
            self.time = time
        } else {
            if let delay = DurationText.correction(of: text.trimmingPrefix("+")) {
                throw ValidationError("\"\(text)\" is not a time; write +\(delay) for a delay")
            }
            throw ValidationError(
                "\"\(text)\" is not a time, or is after 2261; write a time of day such as 02:00, an RFC 3339 time such"
                    + " as 2026-01-31T02:00:00Z, or a delay such as +15min (\(DurationText.units))"
            )
        }
    }

    private static func delayed(_ text: String, from now: WallTime) -> WallTime? {
        guard text.first == "+" else { return nil }
        return DurationText.duration(text.dropFirst()).map { now + $0 }
    }

    /// The next occurrence of a time of day such as `02:00` or `02:00:30`, in the reader's time zone; nil for other
    /// text.
    private static func ofDay(_ text: String, for reader: Reader) -> WallTime? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, parts.allSatisfy({ $0.count == 2 || $0.count == 1 }) else {
            return nil
        }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count, (0..<24).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0..<60).contains($0) })
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = reader.timeZone
        let wanted = DateComponents(hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
        let now = Date(timeIntervalSince1970: Double(reader.now.nanoseconds) / 1e9)
        // A time that a clock change skips stands for the first instant after the gap.
        let next = calendar.nextDate(
            after: now,
            matching: wanted,
            matchingPolicy: .nextTime,
            repeatedTimePolicy: .first
        )
        return next.map { WallTime(nanoseconds: Int64($0.timeIntervalSince1970.rounded()) * 1_000_000_000) }
    }
}

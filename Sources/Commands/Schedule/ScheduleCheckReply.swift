// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskModel
import TerminalText

/// The result of `schedule check`.
struct ScheduleCheckReply: Codable, Hashable {
    struct Occurrence: Codable, Hashable {
        let at: CalendarTime
        let exact: Timestamp
        /// Date and time by the clocks of the zone, such as `mon 2026-03-30 02:30:00`.
        let local: String
        /// Offset of local time from UTC, such as `+02:00`.
        let offset: String
        /// `skipped` or `repeated`; nil when the clocks show the time of the rule once.
        let shift: String?
        /// The change of the clocks that concerns the occurrence, for users; nil without one.
        let note: String?

        enum CodingKeys: String, CodingKey {
            case at, local, offset, shift, note
            case exact = "at_ns"
        }
    }

    /// The rule in the notation of the configuration, with its time zone.
    let rhythm: String
    let occurrences: [Occurrence]
    /// The first occurrence within a year after `occurrences` that a change of the clocks affects; nil without one.
    let nextShift: Occurrence?

    enum CodingKeys: String, CodingKey {
        case rhythm, occurrences
        case nextShift = "next_shift"
    }

    init(_ rule: CalendarRule, after time: WallTime, count: Int, in zones: TimeZoneTable) {
        rhythm = WorkSchedule.Rhythm.calendar(rule).text(in: zones)
        let found = rule.occurrences(after: time, count: count, in: zones)
        occurrences = found.indices.map { index in
            Occurrence(found[index], of: rule, after: index > 0 ? found[index - 1] : nil)
        }
        nextShift = found.last.flatMap { last in
            rule.shiftedOccurrence(after: last.time, in: zones).map { Occurrence($0, of: rule, after: nil) }
        }
    }
}

extension ScheduleCheckReply.Occurrence {
    init(_ occurrence: CalendarOccurrence, of rule: CalendarRule, after last: CalendarOccurrence?) {
        exact = Timestamp(occurrence.time)
        at = CalendarTime(secondOf: exact)
        let (days, second) = occurrence.local.flooredDivision(by: 86_400)
        let weekday = CalendarRule.weekdayNames[CivilDate.weekday(daysSince1970: days) - 1]
        let date = CivilDate(daysSince1970: days)
        let day = [date.year, date.month, date.day].map(Self.twoDigits).joined(separator: "-")
        local = "\(weekday) \(day) \(Self.clock(second))"
        offset = (occurrence.offset < 0 ? "-" : "+") + String(Self.clock(abs(occurrence.offset)).prefix(5))
        shift = occurrence.shift?.rawValue
        let time = String(Self.clock(Int64(rule.hour * 3600 + rule.minute * 60)).prefix(5))
        switch occurrence.shift {
        case .skipped: note = "the clocks skip \(time) on this date: at the end of the gap"
        case .repeated: note = "the clocks show \(time) twice on this date: at the first of both"
        case nil: note = last.flatMap { Self.change(from: $0.offset, to: occurrence.offset) }
        }
    }

    private static func change(from old: Int64, to new: Int64) -> String? {
        if old == new { return nil }
        let distance = Duration.seconds(abs(new - old)).humanReadable
        return "the clocks were set \(new > old ? "forward" : "back") by \(distance) since the occurrence before"
    }

    /// A number of seconds as `HH:MM:SS`.
    private static func clock(_ seconds: Int64) -> String {
        [seconds / 3600, seconds / 60 % 60, seconds % 60].map(twoDigits).joined(separator: ":")
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension ScheduleCheckReply: Presentable {
    func text(for reader: Reader) -> String {
        var table = Table("OCCURRENCE", "OFFSET", "IN", "NOTE")
        for occurrence in occurrences { table.add(occurrence.cells(for: reader)) }
        var text = rhythm.terminalSafe + "\n\n" + table.text
        if let nextShift {
            var later = Table("NEXT CHANGE OF CLOCKS", "OFFSET", "IN", "NOTE")
            later.add(nextShift.cells(for: reader))
            text += "\n" + later.text
        }
        return text
    }
}

extension ScheduleCheckReply.Occurrence {
    fileprivate func cells(for reader: Reader) -> [String] {
        [local, offset, exact.relativeText(for: reader), note ?? ""]
    }
}

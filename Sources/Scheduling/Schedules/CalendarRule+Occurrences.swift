// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A scheduled occurrence as the clocks of the zone show it.
package struct CalendarOccurrence: Hashable, Sendable {
    /// The change of the clocks that moves an occurrence away from the time of its rule, or makes that time ambiguous.
    package enum Shift: String, Hashable, Sendable, CaseIterable {
        /// The clocks skip the time of day on this date: the occurrence is at the end of the gap.
        case skipped
        /// The clocks show the time of day twice on this date: the occurrence is at the first of both.
        case repeated
    }

    package let time: WallTime
    /// Local time in seconds since 1970, by the clocks of the zone.
    package let local: Int64
    /// Offset of local time from UTC, in seconds east.
    package let offset: Int64
    /// Nil when the clocks show the time of the rule once.
    package let shift: Shift?
}

extension CalendarRule {
    /// The rule for the text of a calendar rule. It completes "TEXT is ...".
    package static let textRule =
        "not HH:MM, with or without weekdays or days of the month before it"
    package static let textRemedy = "write a time such as \"02:30\", \"mon-fri 02:30\" or \"1,15 02:30\""

    /// The first occurrences after `time`, at most `count`; fewer when there are no more, or when the rules of the zone
    /// are unknown.
    package func occurrences(after time: WallTime, count: Int, in zones: TimeZoneTable) -> [CalendarOccurrence] {
        guard let rules = zones[zone] else { return [] }
        var occurrences: [CalendarOccurrence] = []
        var last = time
        while occurrences.count < count, let next = occurrence(after: last, in: zones) {
            occurrences.append(described(next, rules))
            last = next
        }
        return occurrences
    }

    /// The first occurrence after `time` and within a year that a change of the clocks affects; nil without one.
    package func shiftedOccurrence(after time: WallTime, in zones: TimeZoneTable) -> CalendarOccurrence? {
        guard let rules = zones[zone] else { return nil }
        let end = time + .seconds(366 * 86_400)
        var last = time
        while let next = occurrence(after: last, in: zones), next <= end {
            let occurrence = described(next, rules)
            if occurrence.shift != nil { return occurrence }
            last = next
        }
        return nil
    }

    private func described(_ time: WallTime, _ rules: TimeZoneRules) -> CalendarOccurrence {
        let instant = time.nanoseconds.flooredDivision(by: 1_000_000_000).quotient
        let local = rules.localTime(of: instant)
        let isAtTimeOfRule = local.flooredDivision(by: 86_400).remainder == Int64(hour * 3600 + minute * 60)
        // After the clocks are set back, the same local time follows.
        let isRepeated = rules.nextTransition(after: instant).map { rules.localTime(of: $0) <= local } ?? false
        return CalendarOccurrence(
            time: time,
            local: local,
            offset: local - instant,
            shift: isAtTimeOfRule ? isRepeated ? .repeated : nil : .skipped
        )
    }
}

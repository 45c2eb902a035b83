// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension CalendarRule {
    package static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// Parses a text such as "02:30", "mon-fri 02:30", "sat,sun 02:30" or "1,15 02:30"; nil for an invalid text.
    package init?(_ text: String, zone: ScheduleZone) {
        let parts = text.lowercased().split(separator: " ")
        guard let time = parts.last, parts.count <= 2 else { return nil }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 2, clock.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCIIDigit) }),
            let hour = Int(clock[0]), let minute = Int(clock[1])
        else { return nil }
        guard parts.count == 2 else {
            self.init(hour: hour, minute: minute, zone: zone)
            return
        }
        let items = parts[0].split(separator: ",", omittingEmptySubsequences: false)
        if parts[0].first?.isASCIIDigit == true {
            guard let days = Self.values(of: items, { Int($0) }, last: 31) else { return nil }
            self.init(hour: hour, minute: minute, days: days, zone: zone)
        } else {
            let number = { (name: Substring) in Self.weekdayNames.firstIndex(of: String(name)).map { $0 + 1 } }
            guard let weekdays = Self.values(of: items, number, last: 7) else { return nil }
            self.init(hour: hour, minute: minute, weekdays: weekdays, zone: zone)
        }
    }

    /// Parses single values and ranges; nil when an item is invalid. A range may wrap around, such as "fri-mon".
    private static func values(of items: [Substring], _ number: (Substring) -> Int?, last: Int) -> Set<Int>? {
        var values: Set<Int> = []
        for item in items {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map(number)
            guard let first = ends.first ?? nil, let end = ends.last ?? nil, ends.count <= 2,
                (1...last).contains(first), (1...last).contains(end)
            else { return nil }
            values.formUnion(first <= end ? Array(first...end) : Array(first...last) + Array(1...end))
        }
        return values.isEmpty ? nil : values
    }

    /// The rule in the format of the configuration, with the name of its zone.
    func text(in zones: TimeZoneTable) -> String {
        let time = Self.twoDigits(hour) + ":" + Self.twoDigits(minute)
        let days = self.days.sorted().map(String.init) + weekdays.sorted().map { Self.weekdayNames[$0 - 1] }
        return (days.isEmpty ? "" : days.joined(separator: ",") + " ") + "\(time) \(zones.name(of: zone))"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension WorkSchedule.Rhythm {
    package func text(in zones: TimeZoneTable) -> String {
        switch self {
        case .every(let interval): "every \(interval.humanReadable)"
        case .calendar(let rule): rule.text(in: zones)
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

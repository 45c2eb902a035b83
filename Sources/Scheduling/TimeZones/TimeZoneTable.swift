// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The time zone of a calendar rule.
package enum ScheduleZone: Hashable, Comparable, Sendable {
    /// The time zone to which the machine is set.
    case machine
    /// A name such as Europe/Berlin.
    case named(String)
}

/// The rules of the time zones that schedules use.
package struct TimeZoneTable: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Name of the zone for display. For the zone of the machine it may be a description instead of a name.
        package let name: String
        package let rules: TimeZoneRules

        package init(name: String, rules: TimeZoneRules) {
            self.name = name
            self.rules = rules
        }
    }

    package var entries: [ScheduleZone: Entry]

    package init(_ entries: [ScheduleZone: Entry] = [:]) { self.entries = entries }

    package subscript(zone: ScheduleZone) -> TimeZoneRules? { entries[zone]?.rules }

    package func name(of zone: ScheduleZone) -> String {
        switch zone {
        case .machine: entries[zone]?.name ?? "local time"
        case .named(let name): name
        }
    }
}

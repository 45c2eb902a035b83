// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import Scheduling
import TaskModel

// The keys of policies and schedules.
extension HostConfiguration {
    mutating func readPolicies(_ mapping: DiagnosingMapping) {
        if let off = mapping.strings("off") {
            scheduling.policies.off = Set(off.value.compactMap { Self.policy(named: $0, mapping.problems) })
        }
        replace(&scheduling.policies.stagger, with: mapping.duration("stagger", in: Self.waits))
        mapping.mapping("spacing") { spacing in
            for kind in [TaskKind.refresh, .push] {
                guard let value = spacing.duration(kind.name, in: Self.waits) else { continue }
                scheduling.policies.kindSpacing[kind] = value.value
            }
        }
        replace(&scheduling.policies.overrunSpacing, with: mapping.duration("overrun-spacing", in: Self.waits))
        replace(&scheduling.policies.longestSpacing, with: mapping.duration("longest-spacing", in: Self.waits))
        replace(&scheduling.policies.learnsUse, with: mapping.boolean("learn-use"))
        replace(&scheduling.policies.dayBudget, with: mapping.duration("day-budget", in: Self.bounds))
        replace(&scheduling.policies.maximumDeferral, with: mapping.duration("maximum-deferral", in: Self.bounds))
        replace(
            &scheduling.policies.maximumCapacityWait,
            with: mapping.duration("maximum-capacity-wait", in: Self.waits)
        )
    }

    /// Permitted range of the day budget and the maximum deferral. Zero is excluded, because the key `off` disables
    /// policies.
    static let bounds: ClosedRange<Duration> = .seconds(1) ... .seconds(3_650 * 86_400)

    private static func policy(named field: Field<String>, _ problems: ProblemCollector) -> Policy? {
        if let policy = Policy(rawValue: field.value) { return policy }
        problems.report(
            .wrongValue,
            at: field,
            "is \(field.value.inQuotes), which is not a policy",
            remedy: NearestWord.remedy(for: field.value, among: Policy.allCases.map(\.rawValue))
        )
        return nil
    }

    /// Reads the schedules of a plugin by task identifier: the interval or calendar rule, and the properties of the
    /// request.
    static func schedules(_ plugin: DiagnosingMapping) -> [TaskIdentifier: WorkSchedule] {
        let read = plugin.mappings("schedules") { name, mapping -> (TaskIdentifier, WorkSchedule)? in
            let schedule = schedule(mapping)
            guard let identifier = TaskIdentifier(name.value), identifier.pushedPlugin == nil else {
                mapping.problems.reportIdentifier(
                    name,
                    isTask: true,
                    isKey: true,
                    remedy: "write an identifier that the plugin's manifest permits"
                )
                return nil
            }
            return schedule.map { (identifier, $0) }
        }
        return Dictionary(read.compactMap(\.self)) { first, _ in first }
    }

    private static func schedule(_ mapping: DiagnosingMapping) -> WorkSchedule? {
        let kind = mapping.choice("kind", of: ScheduledKind.self)?.value ?? .processing
        let stagger = mapping.duration("stagger", in: waits)?.value ?? .zero
        let network = mapping.boolean("requires-network")?.value ?? false
        let power = mapping.boolean("requires-external-power")?.value ?? false
        guard let rhythm = rhythm(mapping) else { return nil }
        return WorkSchedule(
            rhythm,
            stagger: stagger,
            kind: kind.taskKind,
            requiresNetwork: network,
            requiresExternalPower: power
        )
    }

    private static func rhythm(_ mapping: DiagnosingMapping) -> WorkSchedule.Rhythm? {
        let every = mapping.duration("every", in: .seconds(60) ... .seconds(366 * 86_400))
        let at = mapping.string("at")
        let zone = Self.zone(mapping, of: at)
        switch (every, at) {
        case (let every?, nil): return .every(every.value)
        case (nil, let at?):
            guard let zone else { return nil }
            if let rule = CalendarRule(at.value, zone: zone) { return .calendar(rule) }
            mapping.problems.report(
                .wrongValue,
                at: at,
                "is \(at.value.inQuotes), which is \(CalendarRule.textRule)",
                remedy: CalendarRule.textRemedy
            )
            return nil
        case (let every?, _?):
            mapping.problems.report(
                .wrongValue,
                at: every,
                "conflicts with the key \"at\"",
                remedy: "keep one of the two keys"
            )
            return nil
        case (nil, nil):
            // An invalid value of `at` is reported already.
            if mapping.presence(of: "at") == nil {
                mapping.requirePresence(of: "every", remedy: "add every: 6h, or at: \"02:30\"")
            }
            return nil
        }
    }

    /// The zone of a schedule: the zone that its key `zone` names, by default the zone of the machine. Nil without the
    /// keys `zone` and `at`, and when the rules of the zone are not known, which is reported.
    private static func zone(_ mapping: DiagnosingMapping, of at: Field<String>?) -> ScheduleZone? {
        let name = mapping.string("zone")
        guard let field = name ?? at else { return nil }
        let zone = name.map { ScheduleZone.named($0.value) } ?? .machine
        do {
            _ = try TimeZoneDatabase.system.entry(of: zone)
            return zone
        } catch {
            mapping.problems.report(.wrongValue, at: field, error.problem, remedy: error.remedy)
            return nil
        }
    }

    /// Reads the rules of every time zone that a schedule or the learning of use needs.
    mutating func readTimeZones() {
        for zone in scheduling.usedZones {
            // A zone that cannot be read was reported when its schedule was read. Without the zone of the machine, the
            // hours of use are those of UTC.
            scheduling.timeZones.entries[zone] = try? timeZones.entry(of: zone)
        }
    }
}

/// The kinds that a schedule may submit. Continued tasks are excluded: only users start them.
private enum ScheduledKind: String, CaseIterable {
    case refresh
    case processing
    case healthResearch = "health-research"

    var taskKind: TaskKind {
        switch self {
        case .refresh: .refresh
        case .processing: .processing
        case .healthResearch: .healthResearch
        }
    }
}

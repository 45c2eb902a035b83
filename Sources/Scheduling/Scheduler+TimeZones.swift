// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Time zones that change while the host runs.
extension Scheduler {
    /// Applies changed rules of time zones to calendar schedules. Each local date keeps exactly one occurrence: a date
    /// submitted under the old rules is not submitted again, and a later date is submitted at its new time.
    mutating func changeTimeZones(to table: TimeZoneTable, at now: Moment) {
        let old = timeZones
        timeZones.entries.merge(table.entries) { _, new in new }
        if old[.machine] != timeZones[.machine] { considerUsesAnew() }
        for (zone, schedules) in calendar.schedules(ofAnyOf: table.entries.keys) {
            guard let rules = timeZones[zone], old[zone] != rules else { continue }
            // An identifier that several plugins have on a schedule has one record.
            var moved: Set<TaskIdentifier> = []
            for schedule in schedules {
                if let before = old[zone], moved.insert(schedule.identifier).inserted {
                    moveOccurrence(of: schedule.identifier, schedule.rule, from: before, to: rules)
                }
                arrangeSchedule(schedule, at: now)
            }
        }
    }

    private mutating func arrangeSchedule(_ schedule: CalendarIndex.Schedule, at now: Moment) {
        guard plugins.contains(schedule.plugin), plugins[schedule.plugin].entry != nil else { return }
        arrangeOccurrence(of: schedule.identifier, schedule.plugin, at: now)
    }

    private mutating func moveOccurrence(
        of identifier: TaskIdentifier,
        _ rule: CalendarRule,
        from old: TimeZoneRules,
        to new: TimeZoneRules
    ) {
        // The record that counts is known when the commit in flight is decided.
        if inFlight.containsOccurrence(of: identifier) {
            rulesOfCommits[identifier] = rulesOfCommits[identifier] ?? old
            return
        }
        guard let last = occurrences[identifier] else { return }
        let moved = rule.time(correspondingTo: last, from: old, to: new)
        if moved != last { pass(moved, of: identifier) }
    }

    /// Converts the last occurrence of a schedule to the new rules of its time zone. The conversion had to wait for a
    /// commit of an occurrence that was in flight when the rules changed.
    mutating func moveOccurrenceOfCommit(of identifier: TaskIdentifier, _ plugin: PluginIdentifier) {
        guard let old = rulesOfCommits.removeValue(forKey: identifier),
            let rule = schedule(of: identifier, plugin)?.calendar, let new = timeZones[rule.zone]
        else { return }
        moveOccurrence(of: identifier, rule, from: old, to: new)
    }
}

/// The schedules of the configuration: all in order, and the calendar schedules by time zone.
struct CalendarIndex: Sendable {
    struct Schedule: Hashable, Sendable {
        let plugin: PluginIdentifier
        let identifier: TaskIdentifier
        let rule: CalendarRule
    }

    /// All schedules, sorted.
    private(set) var all: [ScheduledTask] = []
    private var byZone: [ScheduleZone: [Schedule]] = [:]
    private var byIdentifier: [TaskIdentifier: PluginIdentifier] = [:]

    init(_ configuration: SchedulingConfiguration) {
        for (plugin, policy) in configuration.plugins.sorted(by: { $0.key < $1.key }) {
            for (identifier, schedule) in policy.schedules.sorted(by: { $0.key < $1.key }) {
                all.append(ScheduledTask(plugin: plugin, identifier: identifier))
                byIdentifier[identifier] = byIdentifier[identifier] ?? plugin
                guard let rule = schedule.calendar else { continue }
                byZone[rule.zone, default: []].append(Schedule(plugin: plugin, identifier: identifier, rule: rule))
            }
        }
    }

    /// The first plugin that has a schedule of the identifier; nil when none has.
    func plugin(scheduling identifier: TaskIdentifier) -> PluginIdentifier? { byIdentifier[identifier] }

    func schedules(ofAnyOf zones: some Collection<ScheduleZone>) -> [(zone: ScheduleZone, schedules: [Schedule])] {
        zones.sorted().compactMap { zone in byZone[zone].map { (zone, $0) } }
    }
}

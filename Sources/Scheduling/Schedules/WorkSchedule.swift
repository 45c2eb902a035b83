// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Recurring work from the operator's configuration. At each occurrence the host submits a request, unless a request of
/// the same identifier is pending or running.
package struct WorkSchedule: Hashable, Sendable {
    package enum Rhythm: Hashable, Sendable {
        case every(Duration)
        case calendar(CalendarRule)
    }

    package var rhythm: Rhythm
    /// The window of the stagger: the request of each identifier is submitted at a fixed offset from the start of the
    /// window.
    package var stagger: Duration
    package var kind: TaskKind
    package var requiresNetwork: Bool
    package var requiresExternalPower: Bool

    package init(
        _ rhythm: Rhythm,
        stagger: Duration = .zero,
        kind: TaskKind = .processing,
        requiresNetwork: Bool = false,
        requiresExternalPower: Bool = false
    ) {
        self.rhythm = rhythm
        self.stagger = stagger
        self.kind = kind
        self.requiresNetwork = requiresNetwork
        self.requiresExternalPower = requiresExternalPower
    }

    /// The calendar rule; nil for a schedule with an interval.
    var calendar: CalendarRule? {
        if case .calendar(let rule) = rhythm { rule } else { nil }
    }

    /// The reason why the manifest of a plugin causes the refusal of every occurrence; nil when it permits the
    /// schedule.
    package func refusal(
        of identifier: TaskIdentifier,
        by entry: PluginEntry,
        _ permissions: Permissions
    ) -> Reason? {
        let request = request(for: identifier)
        let isPermitted = permissions.permits(identifier, as: kind)
        return SubmissionRules.problem(with: request, isPermitted: isPermitted, for: entry)?.reason(for: request)
    }

    /// The kinds that the schedule could have instead of its own, so that the manifest permits it.
    package func permittedKinds(
        of identifier: TaskIdentifier,
        by entry: PluginEntry,
        _ permissions: Permissions
    ) -> [TaskKind] {
        let kinds: [TaskKind] = [.refresh, .processing, .healthResearch]
        return kinds.filter { kind in
            var other = self
            other.kind = kind
            return other.refusal(of: identifier, by: entry, permissions) == nil
        }
    }

    /// The first scheduled occurrence after `time`, without the stagger; nil when there is none.
    func occurrence(after time: WallTime, in zones: TimeZoneTable) -> WallTime? {
        switch rhythm {
        case .every(let interval): time + interval
        case .calendar(let rule): rule.occurrence(after: time, in: zones)
        }
    }

    /// The latest scheduled occurrence after `last` and up to `now`, however many were missed in between; nil when none
    /// is due.
    func latestOccurrence(since last: WallTime, upTo now: WallTime, in zones: TimeZoneTable) -> WallTime? {
        guard var latest = occurrence(after: last, in: zones), latest <= now else { return nil }
        if case .every(let interval) = rhythm {
            let missed = (now - latest).wholeNanoseconds / max(1, interval.wholeNanoseconds)
            return latest + interval * Int(missed)
        }
        // A search backwards from the present finds the latest one without visiting every occurrence of a year.
        var window: Duration = .seconds(24 * 60 * 60)
        while latest < now, WallTime(nanoseconds: now.nanoseconds - window.wholeNanoseconds) > latest {
            let start = WallTime(nanoseconds: now.nanoseconds - window.wholeNanoseconds)
            if let later = occurrence(after: start, in: zones), later <= now {
                latest = later
                break
            }
            window = window * 2
        }
        while let next = occurrence(after: latest, in: zones), next <= now { latest = next }
        return latest
    }

    /// The stagger of an identifier: its fixed offset from the start of the window.
    func staggerOffset(of identifier: TaskIdentifier) -> Duration {
        stagger * Int(identifier.text.stableHash % 1_000) / 1_000
    }

    func request(for identifier: TaskIdentifier) -> TaskRequest {
        TaskRequest(
            identifier: identifier,
            kind: kind,
            requiresNetwork: requiresNetwork,
            requiresExternalPower: requiresExternalPower
        )
    }
}

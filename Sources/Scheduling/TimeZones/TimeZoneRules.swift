// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Offsets from UTC of one time zone: a table of transitions, then a rule that repeats each year.
///
/// Instants are seconds since 1970 in UTC. Local times are seconds since 1970 by the clocks of the zone.
package struct TimeZoneRules: Hashable, Sendable {
    /// A change of the offset: from the instant `at` on, `offset` holds.
    package struct Transition: Hashable, Sendable {
        package let at: Int64
        /// The new offset, in seconds east of UTC.
        package let offset: Int64

        package init(at: Int64, offset: Int64) {
            self.at = at
            self.offset = offset
        }
    }

    /// Maximum distance between local time and UTC, in seconds. POSIX permits 24:59:59.
    package static let offsetLimit: Int64 = 26 * 3600
    private static let instantLimit: Int64 = 1 << 60

    package static let utc = TimeZoneRules(YearlyOffsets(standard: 0))

    /// Offset before the first transition, in seconds east of UTC.
    private let initial: Int64
    private let transitions: [Transition]
    /// The yearly rule that holds after the last transition; nil when the offset of the last transition holds for ever.
    private let yearly: YearlyOffsets?

    package init(_ yearly: YearlyOffsets) {
        initial = yearly.standard
        transitions = []
        self.yearly = yearly
    }

    /// Creates the rules; nil when the transitions are not in order, or an instant or an offset is out of range.
    ///
    /// - Parameter afterwards: the yearly rule that holds from the last transition on; without transitions, at all
    ///   times.
    package init?(initial: Int64, transitions: [Transition], afterwards: YearlyOffsets?) {
        let offsets =
            [initial, afterwards?.standard ?? 0, afterwards?.daylight?.offset ?? 0] + transitions.map(\.offset)
        guard offsets.allSatisfy((-Self.offsetLimit...Self.offsetLimit).contains),
            transitions.allSatisfy({ (-Self.instantLimit...Self.instantLimit).contains($0.at) }),
            zip(transitions, transitions.dropFirst()).allSatisfy({ $0.at < $1.at })
        else { return nil }
        self.initial = initial
        self.transitions = transitions
        yearly = afterwards
    }

    /// The offset that holds at an instant, in seconds east of UTC.
    package func offset(at instant: Int64) -> Int64 {
        let passed = passedTransitions(at: instant)
        if passed == transitions.count, let yearly { return yearly.offset(at: instant) }
        return passed == 0 ? initial : transitions[passed - 1].offset
    }

    package func localTime(of instant: Int64) -> Int64 { instant + offset(at: instant) }

    /// The first instant at which local time reaches `local`. A local time that occurs twice gives the earlier instant;
    /// a skipped one gives the end of the gap.
    package func firstInstant(reaching local: Int64) -> Int64 {
        // Local time is earlier here, by any offset.
        var start = local - Self.offsetLimit - 1
        while true {
            let candidate = max(start, local - offset(at: start))
            guard let end = nextTransition(after: start), end <= candidate else { return candidate }
            start = end
        }
    }

    /// Instant of the first transition after `instant`; nil when there is none.
    func nextTransition(after instant: Int64) -> Int64? {
        let passed = passedTransitions(at: instant)
        return passed < transitions.count ? transitions[passed].at : yearly?.nextChange(after: instant)
    }

    /// Number of transitions at or before `instant`.
    private func passedTransitions(at instant: Int64) -> Int {
        transitions.partitionIndex { $0.at > instant }
    }
}

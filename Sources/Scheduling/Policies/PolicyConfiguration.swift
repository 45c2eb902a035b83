// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What the policies go by; every number can be set, and every policy switched off.
package struct PolicyConfiguration: Hashable, Sendable {
    package var off: Set<Policy> = []
    /// Within so long after start, resume or a regained network each plugin begins at a place of its own.
    package var spread: Duration = .seconds(60)
    /// The rest after a first overrun; it doubles with each further one in a row.
    package var overrunSpacing: Duration = .seconds(30)
    package var longestSpacing: Duration = .seconds(60 * 60)
    /// Running time of a plugin's background launches within 24 hours.
    package var dayBudget: Duration = .seconds(4 * 60 * 60)
    /// After so long nothing soft holds a request back any more (C12).
    package var patience: Duration = .seconds(2 * 24 * 60 * 60)
    /// Who waited for room so long comes before those that are used more.
    package var roomPatience: Duration = .seconds(5 * 60)

    package init() {}
}

extension Eligibility.Standing {
    /// Between the end of a background launch and the next one.
    func spacing(_ configuration: SchedulingConfiguration) -> Duration {
        let base = policy.spacing ?? configuration.spacing
        let policies = configuration.policies
        if record.overruns == 0 || policies.off.contains(.spacing) { return base }
        return max(base, min(policies.longestSpacing, policies.overrunSpacing * (1 << min(record.overruns - 1, 20))))
    }
}

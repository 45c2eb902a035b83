// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The settings of the policies. The operator can change every number and disable every policy.
package struct PolicyConfiguration: Hashable, Sendable {
    package var off: Set<Policy> = []
    /// The window after a start-up wave over which the launches of plugins are staggered.
    package var stagger: Duration = .seconds(60)
    /// The cooldown after a first overrun. Each further consecutive overrun doubles it, up to `longestSpacing`.
    package var overrunSpacing: Duration = .seconds(30)
    package var longestSpacing: Duration = .seconds(60 * 60)
    /// The minimum time from the end of one launch to the start of the next for requests of a kind that the plugin
    /// itself submitted, and for pushes. Kinds without a value have none.
    package var kindSpacing: [TaskKind: Duration] = [.refresh: .seconds(15 * 60), .push: .seconds(20 * 60)]
    /// Whether the host learns the hours of the week in which users use a plugin, and spaces its own refresh requests
    /// accordingly.
    package var learnsUse = false
    /// Running time of a plugin's background launches within 24 hours from which on the next one waits.
    package var dayBudget: Duration = .seconds(4 * 60 * 60)
    /// The maximum deferral: advisory policies delay a request for at most this time (C12).
    package var maximumDeferral: Duration = .seconds(2 * 24 * 60 * 60)
    /// Maximum time for which more used plugins come before a plugin that waits for capacity.
    package var maximumCapacityWait: Duration = .seconds(5 * 60)

    package init() {}
}

extension Eligibility.Standing {
    /// The minimum time between the end of a background launch and the start of the plugin's next one, longer after
    /// overruns.
    func spacing(_ configuration: SchedulingConfiguration) -> Duration {
        let base = policy.spacing ?? configuration.spacing
        let policies = configuration.policies
        if record.overruns == 0 || policies.off.contains(.spacing) { return base }
        return max(base, min(policies.longestSpacing, policies.overrunSpacing * (1 << min(record.overruns - 1, 20))))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The size of a simulated fleet, and the frequency of its faults.
package struct FleetScenario: Sendable {
    package var seed: UInt64
    package var hosts: Int
    /// Number of events after which faults and submissions end. The simulation then continues until no item is left.
    package var events: Int
    /// Mean time between two submissions, in nanoseconds; nil for a fleet without submissions.
    package var submissionInterval: Int64?
    /// Mean time between two faults of the fleet, in nanoseconds; nil for a fleet without faults.
    package var faultInterval: Int64?

    package init(
        seed: UInt64,
        hosts: Int = 50,
        events: Int = 100_000,
        submissionInterval: Int64? = 100_000_000,
        faultInterval: Int64? = 2_000_000_000
    ) {
        self.seed = seed
        self.hosts = hosts
        self.events = events
        self.submissionInterval = submissionInterval
        self.faultInterval = faultInterval
    }
}

/// The result of a simulation.
package struct FleetResult: Sendable {
    package let violations: [String]
    package let events: Int
    package let simulatedSeconds: Int64
    package let submitted: Int
    package let finished: Int
    package let replaced: Int
    package let cancelled: Int
    package let rescued: Int
    package let returned: Int
    package let superseded: Int
    /// A number that is equal only for equal courses.
    package let trace: UInt64
}

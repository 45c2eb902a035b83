// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The name of a host in the fleet, its groups, and the limits of its feeder.
package struct FeederSettings: Hashable, Sendable {
    package let host: FleetName
    /// The groups for which the host claims work; empty for all groups with which it is enrolled.
    package let groups: [FleetName]
    /// The maximum number of claims that the host holds at one time.
    package var maximumClaims = 1_000
    /// The maximum number of items of one claim and one batch.
    package var batch = 100
    /// The maximum number of journal entries of one read, whose ends of claims are one report.
    package var journalPage = 500
    /// The maximum number of returned claims of one report. The time of a report grows with the square of their number.
    package var reportPage = 500

    package init(host: FleetName, groups: [FleetName]) {
        self.host = host
        self.groups = groups
    }
}

/// The delays of a feeder that follow from no lease.
package enum FeederDelays {
    /// The time for which a claim has to be absent on the host before the feeder returns its item to the queue. A
    /// submission may be on its way to the host: the feeder stopped, or received no answer. The edge therefore limits
    /// each call of the control API to less than this time.
    package static let untilReturn = Duration.seconds(30)
    /// The delay of a bound item after a refusal that lasts until an operator acts.
    package static let afterRefusal = Duration.seconds(300)
    package static let firstRetry = Duration.seconds(1)
    package static let longestRetry = Duration.seconds(60)

    /// The delay before the next attempt after a number of failures in a row, from 1.
    package static func retry(failures: Int) -> Duration {
        min(longestRetry, firstRetry * (1 << min(max(failures - 1, 0), 6)))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The length of a host's lease and the interval between its renewals. Both grow with the number of hosts, so that the
/// rate of renewals stays below a limit.
package struct LeaseTerms: Hashable, Sendable {
    /// The maximum number of renewals that the database receives per second from all hosts together.
    package static let renewalsPerSecond = 2_000
    /// Two renewals may fail before the lease ends.
    package static let renewalsPerLease = 3
    package static let shortestInterval = Duration.seconds(10)

    /// The interval between two renewals, without jitter.
    package let interval: Duration
    /// The time from a renewal to the end of the lease, on the database's clock.
    package let length: Duration

    package init(interval: Duration) {
        self.interval = interval
        length = interval * Self.renewalsPerLease
    }

    /// Creates the terms of a fleet with a number of hosts.
    package init(hosts: Int) {
        self.init(interval: max(Self.shortestInterval, .seconds(max(0, hosts)) / Self.renewalsPerSecond))
    }

    /// The interval before the next renewal: the regular one, shortened by up to a quarter, so that hosts that started
    /// together do not renew together.
    package func jittered(using generator: inout SeededGenerator) -> Duration {
        generator.duration(in: (interval * 3 / 4)...interval)
    }
}

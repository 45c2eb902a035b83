// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Present counts of the scheduler's work for metrics. Their cost does not depend on the number of plugins and
/// requests.
package struct WorkGauges: Hashable, Sendable {
    /// Number of pending requests and waiting events of the loaded plugins, by kind.
    package let pending: [TaskKind: Int]
    /// The time for which the plugin that waits longest has waited for capacity, by lane; zero when none waits.
    package let capacityWaits: [Lane: Duration]
    /// The leases of feeders, ordered by name.
    package let leases: [LeaseGauge]
}

/// The present values of one lease for metrics. Their cost depends on the number of its claims.
package struct LeaseGauge: Hashable, Sendable {
    package let name: String
    package let isTrusted: Bool
    /// Time since the last renewal; nil when there was none since the start of the host.
    package let contactAge: Duration?
    /// Numbers of pending requests and running tasks with a bound and with an unbound claim.
    package let boundClaims: Int
    package let unboundClaims: Int
}

extension Scheduler {
    package func workGauges(at now: Moment) -> WorkGauges {
        let waits = Lane.allCases.map { lane in
            (lane, capacity[lane]?.waitingSince.map { max(.zero, now.monotonic - $0) } ?? .zero)
        }
        return WorkGauges(
            pending: pendingByKind.merging([.event: waitingEventCount]) { _, events in events },
            capacityWaits: Dictionary(uniqueKeysWithValues: waits),
            leases: leases.all.map { gauge(of: $0, at: now.wall) }
        )
    }

    private func gauge(of lease: SubmitterLease, at now: WallTime) -> LeaseGauge {
        let claims = openHoldings(of: lease.name).values
        let bound = claims.count { $0.claim.isBound }
        return LeaseGauge(
            name: lease.name,
            isTrusted: lease.isTrusted,
            contactAge: lease.contact.map { max(.zero, now - $0) },
            boundClaims: bound,
            unboundClaims: claims.count - bound
        )
    }
}

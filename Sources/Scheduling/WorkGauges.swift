// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Present counts of the scheduler's work for metrics. Their cost does not depend on the number of plugins and
/// requests.
package struct WorkGauges: Hashable, Sendable {
    /// Number of pending requests and waiting events of the loaded plugins, by kind.
    package let pending: [TaskKind: Int]
    /// The time for which the plugin that waits longest has waited for capacity, by lane; zero when none waits.
    package let capacityWaits: [Lane: Duration]
}

extension Scheduler {
    package func workGauges(at now: MonotonicTime) -> WorkGauges {
        let waits = Lane.allCases.map { lane in
            (lane, capacity[lane]?.waitingSince.map { max(.zero, now - $0) } ?? .zero)
        }
        return WorkGauges(
            pending: pendingByKind.merging([.event: waitingEventCount]) { _, events in events },
            capacityWaits: Dictionary(uniqueKeysWithValues: waits)
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Synchronization
import TaskLedger
import TaskModel

/// The counts for metrics since the host started, shared by the writer of the ledger and the control socket.
final class MetricsKeeper: Sendable {
    struct Counts: Sendable {
        var tally = LaunchTally()
        var requests: [RequestSeries: MetricHistogram] = [:]
    }

    private let state = Mutex(Counts())

    /// A copy of all counts.
    var counts: Counts { state.withLock { $0 } }

    func note(_ group: CommittedGroup, at now: WallTime) {
        state.withLock { $0.tally.observe(group, at: now) }
    }

    /// Counts a request at the control socket.
    ///
    /// - Parameters:
    ///   - route: the route of the request; nil when none matched.
    ///   - duration: the time from the request to the head of its response.
    func note(_ route: Route?, code: Int, took duration: Duration) {
        let series = RequestSeries(
            route: route?.template ?? "none",
            method: route?.method.rawValue ?? "none",
            code: code
        )
        state.withLock { $0.requests[series, default: MetricHistogram(.durations)].observe(duration) }
    }
}

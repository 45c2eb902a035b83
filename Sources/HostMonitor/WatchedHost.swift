// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import TaskModel

/// The last known state of a watched host.
package enum WatchedHost: Hashable, Sendable {
    case present(HostSnapshot)
    /// The newest attempt to take a snapshot failed. `last` is the last snapshot, which may be outdated.
    case gone(Absence, last: HostSnapshot)

    package struct Absence: Hashable, Sendable {
        package let since: WallTime
        package let problem: String
        /// The remedy; empty when the problem contains it.
        package let remedy: String
    }

    var snapshot: HostSnapshot {
        switch self {
        case .present(let snapshot), .gone(_, let snapshot): snapshot
        }
    }

    /// The state after a snapshot has failed: the last snapshot, with the time of the first failure.
    func absent(at now: WallTime, problem: String, remedy: String) -> WatchedHost {
        switch self {
        case .present(let snapshot):
            .gone(Absence(since: now, problem: problem, remedy: remedy), last: snapshot)
        case .gone(let absence, let last):
            .gone(Absence(since: absence.since, problem: problem, remedy: remedy), last: last)
        }
    }
}

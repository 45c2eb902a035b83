// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import TaskModel

/// A host as whoever watches it knows it.
package enum WatchedHost: Hashable, Sendable {
    case present(HostSnapshot)
    /// It does not answer any more. What it told last may be true no longer.
    case gone(Absence, last: HostSnapshot)

    package struct Absence: Hashable, Sendable {
        package let since: WallTime
        package let problem: String
        /// How to have it back.
        package let remedy: String
    }

    var snapshot: HostSnapshot {
        switch self {
        case .present(let snapshot), .gone(_, let snapshot): snapshot
        }
    }

    /// What was known before, and now no answer.
    func absent(at now: WallTime, problem: String, remedy: String) -> WatchedHost {
        switch self {
        case .present(let snapshot):
            .gone(Absence(since: now, problem: problem, remedy: remedy), last: snapshot)
        case .gone(let absence, let last):
            .gone(Absence(since: absence.since, problem: problem, remedy: remedy), last: last)
        }
    }
}

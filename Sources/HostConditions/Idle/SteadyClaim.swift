// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A state with hysteresis in time: it changes only after observations have contradicted it for a duration.
struct SteadyClaim: Equatable {
    let beginsAfter: Duration
    let endsAfter: Duration
    private(set) var holds = false
    /// Time since which all observations contradict `holds`; nil when the last observation did not.
    private var contradictedSince: MonotonicTime?

    init(beginsAfter: Duration, endsAfter: Duration, holds: Bool = false) {
        self.beginsAfter = beginsAfter
        self.endsAfter = endsAfter
        self.holds = holds
    }

    /// Records an observation.
    ///
    /// - Parameter seen: the observed value from `since` to `until`; nil confirms the present state.
    mutating func note(_ seen: Bool?, since: MonotonicTime, until: MonotonicTime) {
        guard let seen, seen != holds else {
            contradictedSince = nil
            return
        }
        let start = contradictedSince ?? since
        contradictedSince = start
        guard until - start >= (seen ? beginsAfter : endsAfter) else { return }
        holds = seen
        contradictedSince = nil
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Something that holds, or no longer holds, only after it has looked so for a while: it does not flap.
struct SteadyClaim: Equatable {
    let beginsAfter: Duration
    let endsAfter: Duration
    private(set) var holds = false
    /// Since when all that was seen spoke against what holds.
    private var contradictedSince: MonotonicTime?

    init(beginsAfter: Duration, endsAfter: Duration, holds: Bool = false) {
        self.beginsAfter = beginsAfter
        self.endsAfter = endsAfter
        self.holds = holds
    }

    /// - Parameter seen: what it looked like from `since` to `until`; nil speaks for what holds already.
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

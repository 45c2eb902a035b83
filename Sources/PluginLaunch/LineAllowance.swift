// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Which lines of a plugin's the log takes: a burst, then a steady rate. Counts the others, and keeps none.
package struct LineAllowance {
    package static let burst = 1000
    package static let linesPerSecond = 200

    private var pace: Pace
    private var dropped = 0

    init(at now: MonotonicTime) {
        pace = Pace(burst: Int64(Self.burst), perSecond: Int64(Self.linesPerSecond), at: now)
    }

    /// False for a line to be dropped.
    mutating func takes(at now: MonotonicTime) -> Bool {
        if pace.take(at: now) { return true }
        dropped += 1
        return false
    }

    /// How many lines were dropped since this was last asked.
    mutating func reportDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Rate limit for the log lines of a launch, or for the lines of one of its output streams: a burst, then a steady
/// rate. Excess lines are counted and dropped.
package struct LineRateLimit {
    package static let burst = 1000
    package static let linesPerSecond = 200

    private var bucket: TokenBucket
    private var dropped = 0

    init(at now: MonotonicTime) {
        bucket = TokenBucket(burst: Int64(Self.burst), perSecond: Int64(Self.linesPerSecond), at: now)
    }

    /// Whether the next line is within the limit. A line beyond it is counted as dropped.
    mutating func takes(at now: MonotonicTime) -> Bool {
        if bucket.take(at: now) { return true }
        dropped += 1
        return false
    }

    /// Returns the number of lines dropped since the last call.
    mutating func reportDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}

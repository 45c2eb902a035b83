// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// How much of something is taken in over time: a burst at once, then a steady rate. Has no clock of its own.
struct Pace {
    private let burst: Int64
    private let perSecond: Int64
    private var level: Int64
    private var filledAt: MonotonicTime

    init(burst: Int64, perSecond: Int64, at now: MonotonicTime) {
        self.burst = burst
        self.perSecond = perSecond
        level = burst
        filledAt = now
    }

    /// May go below zero: what was already read cannot be unread.
    mutating func spend(_ amount: Int, at now: MonotonicTime) {
        fill(at: now)
        level -= Int64(amount)
    }

    /// Spends one if there is one.
    mutating func take(at now: MonotonicTime) -> Bool {
        fill(at: now)
        guard level > 0 else { return false }
        level -= 1
        return true
    }

    /// Nil while there is something left; else when a quarter of the burst will be there again.
    var resumesAt: MonotonicTime? {
        guard level <= 0 else { return nil }
        let missing = burst / 4 - level
        return filledAt + .nanoseconds(missing * 1_000_000_000 / perSecond)
    }

    private mutating func fill(at now: MonotonicTime) {
        let elapsed = min((now - filledAt).wholeNanoseconds, 60_000_000_000)
        let added = elapsed * perSecond / 1_000_000_000
        // Fractions stay in the time until they make a whole one.
        guard added > 0 else { return }
        filledAt = now
        level = min(burst, level + added)
    }
}

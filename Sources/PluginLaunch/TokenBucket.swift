// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A token bucket: a burst at once, then a steady rate. It has no clock of its own.
struct TokenBucket {
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

    /// Spends tokens for work that is already done, such as read bytes: the level may become negative.
    mutating func spend(_ amount: Int, at now: MonotonicTime) {
        fill(at: now)
        level -= Int64(amount)
    }

    /// Spends one token; false when none is left.
    mutating func take(at now: MonotonicTime) -> Bool {
        fill(at: now)
        guard level > 0 else { return false }
        level -= 1
        return true
    }

    /// Time at which a quarter of the burst is available again; nil while tokens are left.
    var resumesAt: MonotonicTime? {
        guard level <= 0 else { return nil }
        let missing = burst / 4 - level
        return filledAt + .nanoseconds(missing * 1_000_000_000 / perSecond)
    }

    private mutating func fill(at now: MonotonicTime) {
        let elapsed = min((now - filledAt).wholeNanoseconds, 60_000_000_000)
        let added = elapsed * perSecond / 1_000_000_000
        // Elapsed time is kept until it yields a whole token.
        guard added > 0 else { return }
        filledAt = now
        level = min(burst, level + added)
    }
}

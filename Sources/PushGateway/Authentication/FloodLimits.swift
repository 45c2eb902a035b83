// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
package import TaskModel

/// A token bucket: `burst` pushes at once, then `rate` pushes in a second.
package struct TokenBucket: Hashable, Sendable {
    package let rate: Double
    package let burst: Double
    private var available: Double
    private var updatedAt: MonotonicTime

    package init(rate: Int, burst: Int, at now: MonotonicTime) {
        self.rate = Double(rate)
        self.burst = Double(burst)
        available = Double(burst)
        updatedAt = now
    }

    /// Takes one push; false when none is available.
    package mutating func take(at now: MonotonicTime) -> Bool {
        refill(at: now)
        if available < 1 { return false }
        available -= 1
        return true
    }

    /// Whether a push is available.
    package mutating func hasPush(at now: MonotonicTime) -> Bool {
        refill(at: now)
        return available >= 1
    }

    private mutating func refill(at now: MonotonicTime) {
        let elapsed = max(0, Double((now - updatedAt).wholeNanoseconds) / 1e9)
        updatedAt = max(now, updatedAt)
        available = min(burst, available + elapsed * rate)
    }
}

/// The token buckets of the configured keys and webhooks, by their names.
package final class FloodLimits: Sendable {
    private let rate: Int
    private let burst: Int
    private let buckets = Mutex<[String: TokenBucket]>([:])

    package init(rate: Int, burst: Int) { (self.rate, self.burst) = (rate, burst) }

    /// Takes one push of a key; false when the key has sent too many.
    package func take(_ name: String, at now: MonotonicTime) -> Bool {
        buckets.withLock { buckets in
            buckets[name, default: TokenBucket(rate: rate, burst: burst, at: now)].take(at: now)
        }
    }

    /// Whether a push of a key is available. Takes none.
    package func hasPush(_ name: String, at now: MonotonicTime) -> Bool {
        buckets.withLock { $0[name]?.hasPush(at: now) ?? true }
    }
}

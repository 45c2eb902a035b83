// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The token bucket of the alerts to one plugin: a burst at once, then a steady rate. It is full after a restart of the
/// host. A pure value.
struct AlertRate: Sendable {
    /// Number of alerts that the host accepts for a plugin at once.
    static let burst = 100
    /// Time in which the host accepts one further alert for the plugin.
    static let interval: Duration = .seconds(1)

    /// The time at which the bucket is full.
    private var fullAt: MonotonicTime

    init(at now: MonotonicTime) { fullAt = now }

    /// The time until the next alert is accepted; nil when one is accepted now.
    func wait(at now: MonotonicTime) -> Duration? {
        let missing = max(.zero, fullAt - now) + Self.interval
        let wait = missing - Self.interval * Self.burst
        return wait > .zero ? wait : nil
    }

    /// Takes the token of one accepted alert.
    mutating func take(at now: MonotonicTime) { fullAt = max(fullAt, now) + Self.interval }
}

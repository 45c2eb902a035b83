// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Computes when to act on file changes: once per burst of changes, after a limited delay. A cooldown limits the share
/// of time spent on reading files.
struct ChangeRateLimit<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// The time without a change after which a burst has ended.
    static var quiet: Duration { .milliseconds(20) }
    /// Maximum delay after the first change of a burst, and maximum cooldown.
    static var longest: Duration { .milliseconds(500) }
    /// Cooldown after an action, as a multiple of its duration. An action shorter than `quiet` has none.
    static var cooldownShare: Int { 3 }

    /// Times of the first and last change since the last action began; nil without changes.
    private var pending: (first: Instant, last: Instant)?
    private var cooldownEnd: Instant?

    /// The time for the next action; nil without changes.
    var due: Instant? {
        guard let pending else { return nil }
        let calm = min(
            pending.last.advanced(by: Self.quiet),
            pending.first.advanced(by: Self.longest)
        )
        return cooldownEnd.map { max($0, calm) } ?? calm
    }

    mutating func changed(at now: Instant) { pending = (pending?.first ?? now, now) }

    /// Marks the beginning of an action that covers every change so far. Returns false when there was no change.
    mutating func begin() -> Bool {
        defer { pending = nil }
        return pending != nil
    }

    mutating func end(at now: Instant, after duration: Duration) {
        cooldownEnd = duration < Self.quiet ? nil : now.advanced(by: min(duration * Self.cooldownShare, Self.longest))
    }
}

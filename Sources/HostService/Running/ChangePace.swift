// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// When changes of files are acted upon: together when they come in a burst, soon in any case, and never so often that
/// reading files becomes the host's main work.
struct ChangePace<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// A burst is over after this time without a change.
    static var quiet: Duration { .milliseconds(20) }
    /// The first change of a burst waits for its end no longer; also the longest rest.
    static var longest: Duration { .milliseconds(500) }
    /// Rest after each action, in multiples of the time that it took.
    static var restShare: Int { 3 }

    /// First and last change that were not acted upon.
    private var pending: (first: Instant, last: Instant)?
    private var restEnd: Instant?

    /// The time to act; nil while nothing has changed.
    var due: Instant? {
        guard let pending else { return nil }
        let calm = min(
            pending.last.advanced(by: Self.quiet),
            pending.first.advanced(by: Self.longest)
        )
        return restEnd.map { max($0, calm) } ?? calm
    }

    mutating func changed(at now: Instant) { pending = (pending?.first ?? now, now) }

    /// An action begins that takes every change so far into account; false when there was none.
    mutating func begin() -> Bool {
        defer { pending = nil }
        return pending != nil
    }

    mutating func end(at now: Instant, after duration: Duration) {
        restEnd = duration < Self.quiet ? nil : now.advanced(by: min(duration * Self.restShare, Self.longest))
    }
}

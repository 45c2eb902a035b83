// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The delays between attempts to connect. Each delay is twice the previous one, up to the longest.
struct Backoff: Equatable {
    static let first: Duration = .seconds(1)
    static let longest: Duration = .seconds(5 * 60)

    private var delay = Backoff.first

    /// Returns the delay after one more failure.
    mutating func next() -> Duration {
        defer { delay = min(delay * 2, Self.longest) }
        return delay
    }

    /// Ends the series of failures: the next delay is the first one again.
    mutating func reset() { delay = Self.first }
}

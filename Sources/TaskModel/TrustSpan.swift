// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The time of trust in the renewal of a lease.
package enum TrustSpan: Hashable, Sendable {
    /// A duration from the renewal at the host; zero ends the trust.
    case lasting(Duration)
    /// A time of the boot clock, on which a delay of the call has no effect; a past time ends the trust.
    case until(BootTime)

    /// The longest trust: a day.
    package static let longest = Duration.seconds(86_400)

    /// The end of the trust for a renewal at `now`, at most a day later.
    package func end(at now: BootTime) -> BootTime {
        switch self {
        case .lasting(let duration): now + min(duration, Self.longest)
        case .until(let end): min(end, now + Self.longest)
        }
    }
}

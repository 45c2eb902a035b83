// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The time for which a host trusts its lease. It ends before the lease in the database ends: it counts from the moment
/// before the renewal was sent, and a margin covers the difference between the rates of the two clocks.
package struct TrustWindow: Hashable, Sendable {
    /// The moment from which the host no longer trusts its lease.
    package let end: BootTime

    /// - Parameters:
    ///   - sent: the moment before the renewal was sent.
    ///   - length: the length of the lease, as the database returned it.
    package init(sent: BootTime, length: Duration) {
        end = sent + (length - Self.margin(of: length))
    }

    /// The time by which trust ends earlier than the lease: 1 s, and 1/1,000 of the length for different clock rates.
    package static func margin(of length: Duration) -> Duration { .seconds(1) + length / 1_000 }

    package func isOpen(at now: BootTime) -> Bool { now < end }

    /// The rest of the window; zero after its end.
    package func remainder(at now: BootTime) -> Duration { max(.zero, end - now) }
}

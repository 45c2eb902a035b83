// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rule by which the queue requeues the items of a host that no longer renews its lease.
package enum RescueRule {
    /// The time from the end of the lease to the rescue. A host expires its unbound tasks when its trust ends; the
    /// delay covers their grace periods and the kill.
    package static let delay = Duration.seconds(60)

    /// Whether the queue makes a claimed item available to other hosts. Bound items never move.
    ///
    /// - Parameter leaseAge: the time since the end of the holder's lease, on the database's clock; negative before.
    package static func isRescued(isBound: Bool, leaseAge: Duration) -> Bool { !isBound && leaseAge >= delay }
}

/// The answer of the queue to an outcome or a release of a claim.
package enum FinishVerdict: Hashable, Sendable {
    case accepted
    /// The claim is no longer current: the lease was lost, or the item was replaced or cancelled. The outcome does not
    /// count; the host keeps it in its journal.
    case superseded

    /// The verdict on a report with the fence `reported`.
    ///
    /// - Parameter current: the fence of the item's open claim; nil without the item or without a claim.
    package init(reported: Int64, current: Int64?) { self = reported == current ? .accepted : .superseded }
}

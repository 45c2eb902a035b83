// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// An entry of the host's journal about a request with a claim.
package struct ClaimedEntry: Hashable, Sendable {
    /// The number of the entry in the journal.
    package let number: Int64
    package let claim: Claim
    /// The end of the claim; nil for an entry that ends nothing, such as a submission or an interrupted run that the
    /// host requeues.
    package let ending: ClaimEnding?

    package init(number: Int64, claim: Claim, ending: ClaimEnding?) {
        self.number = number
        self.claim = claim
        self.ending = ending
    }
}

/// The end of a claim.
package enum ClaimEnding: Hashable, Sendable {
    /// The item is finished for good: the name of a final outcome, or `cancelled`, `replaced` or `lapsed`.
    case finished(outcome: String)
    /// The item returns to the queue. It is available again after `delay`, on the database's clock.
    case returned(reason: String, delay: Duration)

    /// The ending that a journal event means; nil when the event does not end a submission.
    ///
    /// - Parameter isLeaseLost: whether the host expired the work because the lease ended. The item then returns to the
    ///   queue, unless the plugin completed it with success in the grace period: a plugin whose task is expired completes
    ///   it without success.
    package init?(_ event: JournalEntry.Event, isLeaseLost: Bool = false) {
        guard event.endsSubmission || event.name == Self.leaseLost else { return nil }
        if event.name == Self.leaseLost || (isLeaseLost && !Self.isSuccess(event)) {
            self = .returned(reason: Self.leaseLost, delay: .zero)
        } else {
            self = .finished(outcome: event.name)
        }
    }

    /// The name of the journal event of a pending request that ended with its lease.
    package static let leaseLost = "lease-lost"

    private static func isSuccess(_ event: JournalEntry.Event) -> Bool {
        switch event {
        case .task(.succeeded), .task(.noData): true
        default: false
        }
    }
}

/// The report of the end of one claim, written to the database.
package struct ClaimReport: Hashable, Sendable {
    package let claim: Claim
    package let ending: ClaimEnding

    package init(claim: Claim, ending: ClaimEnding) {
        self.claim = claim
        self.ending = ending
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The next step of a feeder. The edge performs one action at a time and returns its result as a `FeederInput`.
package enum FeederAction: Hashable, Sendable {
    // MARK: Calls of the host's control API; a failure is `.hostFailed`

    /// Read the open claims of the lease. The result is `.openClaims`.
    case readOpenClaims
    /// Read journal entries with a claim after a number, oldest first. The result is `.journal`.
    case readJournal(after: Int64, limit: Int)
    /// Read the capacity of the host for work that could start soon. The result is `.capacity`.
    case readCapacity
    /// Renew the lease at the host. The host trusts it until `end`, and may prune journal entries up to
    /// `acknowledged`. The result is `.leaseSet`.
    case setLease(end: BootTime, acknowledged: Int64)
    /// Submit items in one batch. Unbound items are accepted only if they can start soon. The result is `.submitted`,
    /// with one answer for each item, in the same order.
    case submit([FleetItem])
    /// Cancel claims that the queue no longer assigns to this host. Unknown and ended claims are ignored. The result is
    /// `.cancelled`.
    case cancel([Claim])

    // MARK: Statements in the database; a failure is `.databaseFailed`

    /// Renew the lease of the host in the database. The result is `.synced`.
    case sync(SyncRequest)
    /// Create this host's items of campaigns, bound to it, and move its cursor of campaigns past them. The result is
    /// `.joined`.
    case join([CampaignSlot])
    /// Claim items. The result is `.claimed`.
    case claim(ClaimRequest)
    /// Report the ends of claims. The result is `.reported`, with one verdict for each report, in the same order.
    case report([ClaimReport])

    // MARK: Time

    /// Wait until a moment. A wait that is woken by the journal ends earlier, when the host's journal has a new entry
    /// with a claim. The result is `.woke`.
    case wait(until: BootTime, isWokenByJournal: Bool)
}

/// The result of a `FeederAction`.
package enum FeederInput: Hashable, Sendable {
    /// The first input of a feeder, before any action.
    case started
    /// The open claims of the lease, and the number of the last journal entry that the host has as acknowledged.
    case openClaims([OpenClaim], acknowledged: Int64)
    case journal([ClaimedEntry])
    case capacity(HostCapacity)
    case leaseSet
    case submitted([SubmissionAnswer])
    case cancelled
    case synced(SyncAnswer)
    case joined
    case claimed([FleetItem])
    case reported([FinishVerdict])
    case woke
    /// The host did not answer, or answered with an error. The call may have had its effect.
    case hostFailed
    /// The database did not answer, or answered with an error. The statement may have had its effect.
    case databaseFailed
}

/// One host's item of a campaign.
package struct CampaignSlot: Hashable, Sendable {
    package let campaign: Int64
    /// The time from the campaign's earliest begin to this host's.
    package let delay: Duration

    package init(campaign: Int64, delay: Duration) {
        self.campaign = campaign
        self.delay = delay
    }
}

/// A claim that waits or runs on the host.
package struct OpenClaim: Hashable, Sendable {
    package let claim: Claim
    package let key: FleetItem.Key

    package init(claim: Claim, key: FleetItem.Key) {
        self.claim = claim
        self.key = key
    }
}

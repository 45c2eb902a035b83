// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The claim of a task, in the answer to `GET /v1/tasks/{identifier}/why`.
package struct ClaimInWhy: Codable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    package let bound: Bool
    /// The name of the lease.
    package let lease: String
    /// The state of the lease; nil when the host does not have it any more.
    package let state: LeaseReply.State?
    /// Time of the last renewal; nil when there was none since the start of the host.
    package let contact: Timestamp?
    private let contactSecond: CalendarTime?

    /// - Parameter lease: nil when the host does not have the lease any more.
    package init(_ claim: LeasedClaim, lease: SubmitterLease?) {
        (item, fence, bound) = (claim.claim.item, claim.claim.fence, claim.claim.isBound)
        self.lease = claim.lease
        state = lease.map(LeaseReply.State.init)
        contact = lease?.contact.map(Timestamp.init)
        contactSecond = contact.map(CalendarTime.init(secondOf:))
    }

    private enum CodingKeys: String, CodingKey {
        case item, fence, bound, lease, state
        case contact = "contact_ns"
        case contactSecond = "contact"
    }
}

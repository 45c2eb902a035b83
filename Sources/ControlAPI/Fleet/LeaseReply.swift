// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A lease in replies.
package struct LeaseReply: Codable, Hashable, Sendable {
    package enum State: String, Codable, CaseIterable, Hashable, Sendable {
        case trusted
        /// The host started, and the feeder has not renewed the lease since: its unbound claims wait.
        case unconfirmed
        /// The trust ended, and with it the unbound claims.
        case ended
        /// The lease was deleted. Its running tasks go on until its trust ends.
        case deleted
    }

    package let name: String
    /// The user who made the lease, and who alone renews it.
    package let user: UInt32
    package let state: State
    /// The time until the end of the trust, or of the wait for a renewal; nil after the end.
    package let left: Nanoseconds?
    /// Time of the last renewal; nil when there was none since the start of the host.
    package let contact: Timestamp?
    private let contactSecond: CalendarTime?
    /// The number of the last journal entry that the feeder has reported; 0 for none.
    package let acknowledged: Int64
    /// The claims whose requests are pending or running; nil in lists, and in the answer to a renewal.
    package let claims: [OpenClaim]?

    /// A claim whose request is pending or running.
    package struct OpenClaim: Codable, Hashable, Sendable {
        package let item: Int64
        package let fence: Int64
        package let bound: Bool
        package let plugin: String
        package let identifier: String
        /// Code of the first reason that blocks the request; nil for one that may start, and for a running task.
        package let waiting: String?

        package init(_ claim: Claim, plugin: PluginIdentifier, identifier: TaskIdentifier, waiting: Reason?) {
            (item, fence, bound) = (claim.item, claim.fence, claim.isBound)
            (self.plugin, self.identifier) = (plugin.text, identifier.text)
            self.waiting = waiting?.code
        }
    }

    package init(_ lease: SubmitterLease, at now: BootTime, claims: [OpenClaim]? = nil) {
        name = lease.name
        user = lease.owner
        state = State(lease)
        left = lease.trustEnd.map { Nanoseconds(max(.zero, $0 - now)) }
        contact = lease.contact.map(Timestamp.init)
        contactSecond = contact.map(CalendarTime.init(secondOf:))
        acknowledged = lease.acknowledged
        self.claims = claims
    }

    private enum CodingKeys: String, CodingKey {
        case name, user, state, acknowledged, claims
        case left = "left_ns"
        case contact = "contact_ns"
        case contactSecond = "contact"
    }
}

extension LeaseReply.State {
    init(_ lease: SubmitterLease) {
        self =
            switch lease.trust {
            case _ where lease.isDraining: .deleted
            case .trusted: .trusted
            case .unconfirmed: .unconfirmed
            case .ended: .ended
            }
    }
}

/// The answer to `GET /v1/leases`.
package struct LeaseListReply: Codable, Hashable, Sendable {
    /// The leases, ordered by name.
    package let leases: [LeaseReply]

    package init(leases: [LeaseReply]) { self.leases = leases }
}

/// The answer to `DELETE /v1/leases/{name}`, sent after the commit.
package struct LeaseDeletionReply: Codable, Hashable, Sendable {
    package let name: String

    package init(name: String) { self.name = name }
}

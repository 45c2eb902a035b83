// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A feeder's call to make a lease or to renew it.
package struct LeaseRenewal: Hashable, Sendable {
    package let name: String
    /// The calling user.
    package let owner: UInt32
    /// The time for which the lease is trusted.
    package let trust: TrustSpan
    /// The number of the last journal entry that the feeder has reported; nil to keep the recorded number.
    package let acknowledged: Int64?

    package init(_ name: String, owner: UInt32, trust: TrustSpan, acknowledged: Int64? = nil) {
        self.name = name
        self.owner = owner
        self.trust = trust
        self.acknowledged = acknowledged
    }
}

/// The answer to a call about a lease.
package enum LeaseAnswer: Hashable, Sendable {
    case renewed(SubmitterLease)
    case deleted
    case unknown
    /// The lease belongs to this user.
    case ofAnotherUser(UInt32)
    /// The host has as many leases as it accepts.
    case tooMany
}

extension SubmitterLease {
    /// The record of a lease after a renewal. The acknowledged number and the length never fall.
    static func record(of renewal: LeaseRenewal, after old: LeaseRecord?, at now: BootTime) -> LeaseRecord {
        let (seconds, rest) = max(.zero, renewal.trust.end(at: now) - now).components
        return LeaseRecord(
            name: renewal.name,
            owner: old?.owner ?? renewal.owner,
            acknowledged: max(old?.acknowledged ?? 0, renewal.acknowledged ?? 0),
            length: max(old?.length ?? .zero, .seconds(seconds + (rest > 0 ? 1 : 0)))
        )
    }
}

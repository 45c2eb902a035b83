// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The durable part of a lease.
package struct LeaseRecord: Hashable, Sendable {
    package let name: String
    /// The user who made the lease. Only this user renews it and submits claims under it.
    package let owner: UInt32
    /// The number of the last journal entry that the feeder has reported; 0 for none. It only rises.
    package var acknowledged: Int64
    /// The length of the lease in whole seconds: after a restart of the host, unbound claims wait that long for a
    /// renewal.
    package var length: Duration

    package init(name: String, owner: UInt32, acknowledged: Int64 = 0, length: Duration) {
        self.name = name
        self.owner = owner
        self.acknowledged = acknowledged
        self.length = length
    }
}

/// The named right of a feeder to submit claims. The trust in it ends unless the feeder renews it; the unbound claims
/// of the lease end then, because another host may run their items.
package struct SubmitterLease: Hashable, Sendable {
    package enum Trust: Hashable, Sendable {
        /// The host started, and the feeder has not renewed the lease since: unbound claims wait until this time.
        case unconfirmed(until: BootTime)
        case trusted(until: BootTime)
        case ended
    }

    package var record: LeaseRecord
    package var trust: Trust
    /// Time of the last renewal; nil when there was none since the start of the host.
    package var contact: WallTime?
    /// Whether the lease was deleted. It takes no further claim, and is dropped when its trust ends.
    package var isDraining = false

    package init(_ record: LeaseRecord, trust: Trust, contact: WallTime? = nil) {
        self.record = record
        self.trust = trust
        self.contact = contact
    }

    /// The lease after a restart of the host.
    package init(restored record: LeaseRecord, at now: BootTime) {
        self.init(record, trust: .unconfirmed(until: now + record.length))
    }

    package var name: String { record.name }
    package var owner: UInt32 { record.owner }
    package var acknowledged: Int64 { record.acknowledged }
    package var isTrusted: Bool { if case .trusted = trust { true } else { false } }

    /// The time at which the trust, or the wait for a renewal, ends; nil after the end.
    package var trustEnd: BootTime? {
        switch trust {
        case .unconfirmed(let end), .trusted(let end): end
        case .ended: nil
        }
    }
}

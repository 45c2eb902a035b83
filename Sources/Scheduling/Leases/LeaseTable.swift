// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The leases of feeders, with the claims that requests hold under each. A host without a feeder has none.
package struct LeaseTable: Sendable {
    /// Maximum number of leases of a host.
    package static let most = 16

    /// A request with a claim.
    struct Holding: Hashable, Sendable {
        let plugin: PluginIdentifier
        let identifier: TaskIdentifier
        let claim: Claim
        /// Whether the trust in the lease ended while the request held the claim. The claim ends, also when the lease
        /// is renewed afterwards.
        var isLost = false
    }

    private var leases: [String: SubmitterLease] = [:]
    /// By lease, the requests with a claim, pending or running. Requests that have ended may be
    /// included, at most as many as the others and some more.
    private var holdings: [String: [SubmissionNumber: Holding]] = [:]
    /// By lease, the number of holdings from which on those of ended requests are removed.
    private var purgeSizes: [String: Int] = [:]

    package var isEmpty: Bool { leases.isEmpty }
    package var count: Int { leases.count }
    /// Whether a request may hold a claim.
    var hasHoldings: Bool { !holdings.isEmpty }
    /// Whether a lease is trusted now.
    package var hasTrust: Bool { leases.values.contains(where: \.isTrusted) }
    /// The leases, ordered by name.
    package var all: [SubmitterLease] { leases.values.sorted { $0.name < $1.name } }

    package subscript(name: String) -> SubmitterLease? { leases[name] }

    /// The earliest time at which the trust in a lease, or the wait for its renewal, ends; nil without one.
    var nextEnd: BootTime? { leases.values.compactMap(\.trustEnd).min() }

    mutating func restore(_ records: [LeaseRecord], at now: BootTime) {
        for record in records { leases[record.name] = SubmitterLease(restored: record, at: now) }
    }

    mutating func set(_ lease: SubmitterLease) { leases[lease.name] = lease }

    mutating func remove(_ name: String) { leases[name] = nil }

    /// Ends the trust that has lasted until `now`, drops the deleted leases among them, and returns their names.
    mutating func endTrust(at now: BootTime) -> [String] {
        let ended = leases.values.filter { lease in lease.trustEnd.map { $0 <= now } ?? false }.map(\.name).sorted()
        for name in ended { endTrust(in: name) }
        return ended
    }

    mutating func endTrust(in name: String) {
        if leases[name]?.isDraining == true { leases[name] = nil } else { leases[name]?.trust = .ended }
    }

    /// The table with trust in every lease that is trusted or waits for its renewal, without an end.
    var trusted: LeaseTable {
        var table = self
        for name in leases.keys where leases[name]?.trustEnd != nil {
            table.leases[name]?.trust = .trusted(until: BootTime(nanoseconds: .max))
        }
        return table
    }

    // MARK: Claims

    /// Adds the claim of a request. Returns the lease whose holdings are to be compared with the pending and
    /// running requests, because their number has doubled; nil when that is not due.
    mutating func add(_ request: PendingRequest) -> String? {
        guard let claim = request.request.claim, holdings[claim.lease]?[request.number] == nil else { return nil }
        let holding = Holding(plugin: request.plugin, identifier: request.request.identifier, claim: claim.claim)
        holdings[claim.lease, default: [:]][request.number] = holding
        let isDue = (holdings[claim.lease]?.count ?? 0) >= purgeSizes[claim.lease] ?? Self.firstPurge
        return isDue ? claim.lease : nil
    }

    /// The holdings of a lease. Requests that have ended may be included.
    func holdings(of lease: String) -> [SubmissionNumber: Holding] { holdings[lease] ?? [:] }

    /// Sets the holdings of a lease, without those of ended requests.
    mutating func set(_ open: [SubmissionNumber: Holding], of lease: String) {
        holdings[lease] = open.isEmpty ? nil : open
        purgeSizes[lease] = open.isEmpty ? nil : max(Self.firstPurge, 2 * open.count)
    }

    private static let firstPurge = 64

    /// Marks a claim as lost.
    mutating func lose(_ number: SubmissionNumber, of lease: String) { holdings[lease]?[number]?.isLost = true }

    /// The state of the claim of a request; nil for a request without an unbound claim, which no lease ends.
    func state(of number: SubmissionNumber, _ claim: LeasedClaim?) -> ClaimState? {
        guard let claim, !claim.claim.isBound else { return nil }
        guard let lease = leases[claim.lease], holdings[claim.lease]?[number]?.isLost != true else { return .lost }
        return switch lease.trust {
        case .trusted: .open
        case .unconfirmed(let end): .unconfirmed(until: end)
        case .ended: .lost
        }
    }
}

/// The state of an unbound claim.
enum ClaimState: Hashable, Sendable {
    case open
    /// The host started, and the feeder has not renewed the lease since: the request waits until this time.
    case unconfirmed(until: BootTime)
    /// The trust in the lease ended: the request ends.
    case lost
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The promises of a fleet, checked at each step of a simulation, and the counts of what happened.
struct FleetLaw {
    /// The broken promises, in the order of their occurrence.
    private(set) var violations: [String] = []
    var submitted = 0
    var replaced = 0
    var cancelled = 0
    private(set) var rescued = 0
    private(set) var returned = 0
    var superseded = 0
    private(set) var finished = 0

    private var finishedItems: [Int64: Int64] = [:]
    private var joins: Set<Join> = []
    /// Claims with a final outcome in the journal of a host.
    private var outcomes: Set<Claim> = []
    /// The tasks of unbound items that run, by item. A host that was suspended during the run is no longer listed: its
    /// processes stand still, and it stops them when it resumes.
    private var running: [Int64: [Int: Int64]] = [:]

    private struct Join: Hashable {
        let campaign: Int64
        let host: Int
    }

    mutating func violate(_ message: String) {
        if violations.count < 100 { violations.append(message) }
    }

    mutating func joined(campaign: Int64, host: Int) {
        if !joins.insert(Join(campaign: campaign, host: host)).inserted {
            violate("host \(host) joined campaign \(campaign) twice")
        }
    }

    var joinCount: Int { joins.count }

    mutating func claimed(_ item: ModelQueue.Item, by host: Int) {
        if let bound = item.lane.host, bound != host {
            violate("item \(item.number) is bound to host \(bound), and host \(host) claimed it")
        }
    }

    mutating func rescued(_ item: ModelQueue.Item) {
        rescued += 1
        if let bound = item.lane.host { violate("item \(item.number) is bound to host \(bound) and was rescued") }
    }

    /// A host wrote the final outcome of a claim into its journal.
    mutating func recorded(_ claim: Claim) { outcomes.insert(claim) }

    mutating func returned(_ claim: Claim, by host: Int) {
        returned += 1
        if outcomes.contains(claim) { violate("host \(host) returned item \(claim.item), which it has finished") }
    }

    mutating func finished(_ claim: Claim, by host: Int, of item: ModelQueue.Item?) {
        finished += 1
        if let other = finishedItems.updateValue(claim.fence, forKey: claim.item) {
            violate("item \(claim.item) was finished under the fences \(other) and \(claim.fence)")
        }
        if item?.holder != host || item?.fence != claim.fence {
            violate("host \(host) finished item \(claim.item) under fence \(claim.fence), which is not current")
        }
    }

    /// A task of an item began to run.
    mutating func began(_ claim: Claim, on host: Int, leaseEnd: Int64, at now: Int64) {
        guard !claim.isBound else { return }
        if leaseEnd <= now {
            violate("host \(host) began item \(claim.item) \((now - leaseEnd) / 1_000_000) ms after its lease")
        }
        if let other = running[claim.item]?.first(where: { $0.key != host }) {
            violate(
                "item \(claim.item) ran on hosts \(host) and \(other.key), fences \(claim.fence) and \(other.value)"
            )
        }
        running[claim.item, default: [:]][host] = claim.fence
    }

    mutating func ended(_ claim: Claim, on host: Int) {
        running[claim.item]?[host] = nil
        if running[claim.item]?.isEmpty ?? false { running[claim.item] = nil }
    }

    mutating func holds(_ keys: Int, claims: Int, on host: Int) {
        if keys != claims { violate("host \(host) holds \(claims) claims of \(keys) plugins and identifiers") }
    }

    mutating func trusted(by host: Int, leaseEnd: Int64, at now: Int64) {
        if leaseEnd < now { violate("host \(host) trusted its lease \((now - leaseEnd) / 1_000) us after its end") }
    }
}

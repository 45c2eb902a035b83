// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import HeapModule
import TaskModel

/// The queue of a fleet as a value, with the semantics of the SQL functions. Its clock is the simulation's time, in
/// nanoseconds.
struct ModelQueue {
    struct Item {
        let number: Int64
        let lane: Lane
        let identifier: TaskIdentifier
        /// Whether one campaign created the item, which no submission replaces.
        let isOfCampaign: Bool
        var fence: Int64 = 0
        var holder: Int?
        var key: FleetItem.Key { FleetItem.Key(plugin: lane.plugin, identifier: identifier) }
        var claim: Claim { Claim(item: number, fence: fence, isBound: lane.host != nil) }
    }

    /// The items that one claim reads in order: of one host, or of one bucket of a group.
    struct Lane: Hashable {
        let plugin: PluginIdentifier
        var host: Int?
        var group: FleetName?
        var bucket = 0
    }

    struct HostRow {
        var leaseEnd: Int64 = .min
        var held: Set<Int64> = []
        var lastCampaign: Int64 = 0
        var groups: Set<FleetName>
    }

    struct Target: Hashable {
        let key: FleetItem.Key
        let host: Int?
        let group: FleetName?
    }

    struct CampaignRow {
        let campaign: Campaign
        let group: FleetName
        let key: FleetItem.Key
        let notBefore: Int64
    }

    struct Due: Comparable {
        let at: Int64
        let number: Int64
        static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
    }

    var items: [Int64: Item] = [:]
    var hosts: [HostRow]
    var campaigns: [CampaignRow] = []
    var law = FleetLaw()
    private var current: [Target: Int64] = [:]
    private var lanes: [Lane: Line] = [:]
    private var delayed = Heap<Due>()
    private var leases = Heap<Due>()
    private(set) var lastNumber: Int64 = 0

    /// Numbers of available items in order, with lazy removal.
    private struct Line {
        var numbers: [Int64] = []
        var first = 0
    }

    init(groups: [Set<FleetName>]) { hosts = groups.map { HostRow(groups: $0) } }

    // MARK: Submitters

    /// Stores an item; replaces the item with the same plugin, identifier and target.
    mutating func submit(_ key: FleetItem.Key, host: Int?, group: FleetName?, notBefore: Int64, at now: Int64) {
        let target = Target(key: key, host: host, group: group)
        if let old = current[target] {
            remove(old)
            law.replaced += 1
        }
        current[target] = add(key, host: host, group: group, isOfCampaign: false, notBefore: notBefore, at: now)
    }

    /// Cancels the first item from a number on, unless a campaign created it.
    mutating func cancel(from number: Int64) {
        let last = min(number + 50, lastNumber)
        guard number <= last, let number = (number...last).first(where: { items[$0]?.isOfCampaign == false })
        else { return }
        remove(number)
        law.cancelled += 1
    }

    mutating func start(_ key: FleetItem.Key, group: FleetName, spread: Duration, at now: Int64) {
        let campaign = Campaign(number: Int64(campaigns.count + 1), spread: spread)
        campaigns.append(CampaignRow(campaign: campaign, group: group, key: key, notBefore: now))
    }

    private mutating func add(
        _ key: FleetItem.Key,
        host: Int?,
        group: FleetName?,
        isOfCampaign: Bool,
        notBefore: Int64,
        at now: Int64
    ) -> Int64 {
        lastNumber += 1
        let bucket = host == nil ? Bucket.of(item: lastNumber) : 0
        let lane = Lane(plugin: key.plugin, host: host, group: group, bucket: bucket)
        items[lastNumber] = Item(number: lastNumber, lane: lane, identifier: key.identifier, isOfCampaign: isOfCampaign)
        law.submitted += 1
        makeAvailable(lastNumber, from: notBefore, at: now)
        return lastNumber
    }

    private mutating func remove(_ number: Int64) {
        guard let item = items.removeValue(forKey: number) else { return }
        if let holder = item.holder { hosts[holder].held.remove(number) }
        let target = Target(key: item.key, host: item.lane.host, group: item.lane.group)
        if current[target] == number { current[target] = nil }
    }

    private mutating func makeAvailable(_ number: Int64, from time: Int64, at now: Int64) {
        guard let lane = items[number]?.lane else { return }
        if time > now {
            delayed.insert(Due(at: time, number: number))
        } else {
            lanes[lane, default: Line()].numbers.append(number)
        }
    }

    // MARK: Feeders

    mutating func sync(_ host: Int, terms: LeaseTerms, at now: Int64) -> SyncAnswer {
        hosts[host].leaseEnd = now + terms.length.wholeNanoseconds
        leases.insert(Due(at: hosts[host].leaseEnd, number: Int64(host)))
        rescue(at: now)
        let row = hosts[host]
        let joinable = campaigns.dropFirst(Int(row.lastCampaign)).filter {
            $0.group == .all || row.groups.contains($0.group)
        }
        return SyncAnswer(
            terms: terms,
            held: row.held.sorted().compactMap { items[$0]?.claim },
            campaigns: joinable.prefix(100).map(\.campaign)
        )
    }

    /// Takes the unbound claims back from hosts whose leases ended.
    private mutating func rescue(at now: Int64) {
        while let first = leases.min {
            let row = hosts[Int(first.number)]
            guard RescueRule.isRescued(isBound: false, leaseAge: .nanoseconds(now - first.at)) else { return }
            leases.removeMin()
            guard row.leaseEnd == first.at else { continue }
            for number in row.held.sorted() {
                guard let item = items[number],
                    RescueRule.isRescued(isBound: item.lane.host != nil, leaseAge: .nanoseconds(now - first.at))
                else { continue }
                law.rescued(item)
                release(number, delay: 0, at: now)
            }
        }
    }

    private mutating func release(_ number: Int64, delay: Int64, at now: Int64) {
        guard let holder = items[number]?.holder else { return }
        hosts[holder].held.remove(number)
        items[number]?.holder = nil
        makeAvailable(number, from: now + delay, at: now)
    }

    mutating func join(_ slots: [CampaignSlot], host: Int, at now: Int64) {
        for slot in slots where slot.campaign > hosts[host].lastCampaign {
            let row = campaigns[Int(slot.campaign) - 1]
            hosts[host].lastCampaign = slot.campaign
            law.joined(campaign: slot.campaign, host: host)
            _ = add(
                row.key,
                host: host,
                group: nil,
                isOfCampaign: true,
                notBefore: row.notBefore + slot.delay.wholeNanoseconds,
                at: now
            )
        }
    }

    /// Claims items for a host whose lease has not ended.
    mutating func claim(_ request: ClaimRequest, host: Int, at now: Int64) -> [FleetItem] {
        while let due = delayed.min, due.at <= now {
            delayed.removeMin()
            makeAvailable(due.number, from: due.at, at: now)
        }
        guard hosts[host].leaseEnd > now else { return [] }
        var claimed: [FleetItem] = []
        var keys = Set(hosts[host].held.compactMap { items[$0]?.key })
        for room in request.plugins {
            var free = min(room.free, request.limit - claimed.count)
            take(from: Lane(plugin: room.plugin, host: host), &free, for: host, &keys, into: &claimed)
            for bucket in Bucket.order(from: request.firstBucket) {
                for group in request.groups + [.all] where free > 0 {
                    let lane = Lane(plugin: room.plugin, group: group, bucket: bucket)
                    take(from: lane, &free, for: host, &keys, into: &claimed)
                }
            }
        }
        return claimed
    }

    private mutating func take(
        from lane: Lane,
        _ free: inout Int,
        for host: Int,
        _ keys: inout Set<FleetItem.Key>,
        into claimed: inout [FleetItem]
    ) {
        guard free > 0, var line = lanes[lane], line.first < line.numbers.count else { return }
        var skipped: [Int64] = []
        while free > 0, line.first < line.numbers.count {
            let number = line.numbers[line.first]
            line.first += 1
            guard var item = items[number], item.holder == nil else { continue }
            guard keys.insert(item.key).inserted else {
                skipped.append(number)
                continue
            }
            law.claimed(item, by: host)
            item.fence += 1
            item.holder = host
            items[number] = item
            hosts[host].held.insert(number)
            free -= 1
            let request = TaskRequest(
                identifier: item.identifier,
                kind: .refresh,
                requiresNetwork: number % 2 == 0,
                claim: LeasedClaim(item.claim, under: "fleet")
            )
            claimed.append(FleetItem(claim: item.claim, plugin: lane.plugin, request: request))
        }
        line.numbers = skipped + line.numbers[line.first...]
        line.first = 0
        lanes[lane] = line.numbers.isEmpty ? nil : line
    }

    mutating func report(_ reports: [ClaimReport], host: Int, at now: Int64) -> [FinishVerdict] {
        reports.map { report in
            let item = items[report.claim.item]
            let isHolder = item?.holder == host
            let verdict = FinishVerdict(reported: report.claim.fence, current: isHolder ? item?.fence : nil)
            guard verdict == .accepted else {
                law.superseded += 1
                return verdict
            }
            switch report.ending {
            case .finished:
                law.finished(report.claim, by: host, of: item)
                remove(report.claim.item)
            case .returned(_, let delay):
                law.returned(report.claim, by: host)
                release(report.claim.item, delay: delay.wholeNanoseconds, at: now)
            }
            return verdict
        }
    }
}

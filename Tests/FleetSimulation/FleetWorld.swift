// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import HeapModule
import Scheduling
import TaskModel

/// A fleet under one virtual clock: real schedulers and feeder cores around a modelled queue, with random faults. The
/// seed determines the course.
package final class FleetWorld {
    let scenario: FleetScenario
    var queue: ModelQueue
    var hosts: [ModelHost] = []
    var generator: SeededGenerator
    var now: Int64 = 0
    /// Whether faults and submissions have ended.
    var isHealing = false
    var isProcessing = false
    /// Number of statements that the database received.
    package internal(set) var statements = 0
    let keys: [FleetItem.Key]
    let plugins: [PluginEntry]
    static let groupNames = ["builders", "readers", "writers"].compactMap { FleetName($0) }

    private var heap = Heap<FleetEvent>()
    private var lastOrder = 0
    private var eventCount = 0
    private var trace: UInt64 = 0

    package init(_ scenario: FleetScenario) {
        self.scenario = scenario
        var generator = SeededGenerator(seed: scenario.seed)
        plugins = (0..<3).compactMap { PluginIdentifier("com.example.p\($0)") }.map { FleetWorld.entry($0) }
        keys = plugins.flatMap { plugin in
            (0..<40).compactMap { number in
                TaskIdentifier("\(plugin.identifier.text).t\(number)").map {
                    FleetItem.Key(plugin: plugin.identifier, identifier: $0)
                }
            }
        }
        var groups: [Set<FleetName>] = []
        for number in 0..<scenario.hosts {
            let group = FleetWorld.groupNames[number % FleetWorld.groupNames.count]
            groups.append([group])
            // Clocks run wrong by up to 0.09 %, ten times more than those of real machines.
            let clock = ModelClock(rate: 1 + Double(Int.random(in: -900...900, using: &generator)) / 1_000_000)
            guard let name = FleetName("host-\(number)") else { continue }
            let feeder = FeederCore(
                settings: FeederSettings(host: name, groups: [group]),
                generator: SeededGenerator(seed: generator.next())
            )
            hosts.append(
                ModelHost(clock: clock, daemon: ModelDaemon(plugins, at: clock.moment(at: 0)), feeder: feeder)
            )
        }
        queue = ModelQueue(groups: groups)
        self.generator = generator
        for host in hosts.indices {
            schedule(.feederStart, in: random(0...10_000_000_000), host: host)
            process(host)
        }
        if let interval = scenario.submissionInterval { schedule(.submission, in: random(0...interval)) }
        if let interval = scenario.faultInterval { schedule(.fault, in: random(0...interval)) }
    }

    private static func entry(_ plugin: PluginIdentifier) -> PluginEntry {
        PluginEntry(
            identifier: plugin,
            name: plugin.text,
            version: "1",
            role: .main,
            permitted: (0..<40).compactMap { PermittedIdentifier("\(plugin.text).t\($0)") },
            modes: [.processing, .fetch],
            library: LibraryFile(
                path: "/lib/\(plugin.text).so",
                digest: "d",
                identity: FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1)
            ),
            manifestPath: "/manifests/\(plugin.text).yaml",
            manifestDigest: "m"
        )
    }

    // MARK: Time

    func random(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }

    func schedule(_ what: FleetEvent.What, in delay: Int64, host: Int? = nil, epoch: Int = 0) {
        schedule(what, at: now + delay, host: host, epoch: epoch)
    }

    func schedule(_ what: FleetEvent.What, at time: Int64, host: Int? = nil, epoch: Int = 0) {
        lastOrder += 1
        heap.insert(FleetEvent(at: max(now, time), order: lastOrder, host: host, epoch: epoch, what: what))
    }

    /// Runs the fleet for its number of events, then without faults until no item is left, for at most 4 hours.
    package func run() -> FleetResult {
        while eventCount < scenario.events, step() {}
        heal()
        let end = now + 4 * 3_600_000_000_000
        while now < end, !isDone, step() {}
        checkEnd()
        return result
    }

    /// Runs the fleet for a time, without an end.
    package func run(for duration: Duration) {
        let end = now + duration.wholeNanoseconds
        while let next = heap.min, next.at <= end, step() {}
    }

    /// Adds items that are bound to hosts and begin after the end of the simulation.
    package func addBacklog(_ count: Int) {
        for number in 0..<count {
            let key = keys[number / hosts.count % keys.count]
            queue.submit(key, host: number % hosts.count, group: nil, notBefore: .max, at: now)
        }
    }

    package var itemCount: Int { queue.items.count }

    private var isDone: Bool {
        queue.items.isEmpty && hosts.allSatisfy { $0.daemon.claims.isEmpty } && areCampaignsJoined
    }

    private var areCampaignsJoined: Bool {
        queue.campaigns.isEmpty || queue.hosts.allSatisfy { $0.lastCampaign >= lastCampaign(of: $0) }
    }

    private func lastCampaign(of row: ModelQueue.HostRow) -> Int64 {
        queue.campaigns.last { $0.group == .all || row.groups.contains($0.group) }?.campaign.number ?? 0
    }

    private func step() -> Bool {
        guard let event = heap.popMin() else { return false }
        now = event.at
        if let host = event.host, hosts[host].suspendedUntil > now {
            // The machine stands still: the event occurs when it resumes, in the same order.
            heap.insert(
                FleetEvent(
                    at: hosts[host].suspendedUntil,
                    order: event.order,
                    host: host,
                    epoch: event.epoch,
                    what: event.what
                )
            )
            return true
        }
        eventCount += 1
        trace = (trace ^ UInt64(bitPattern: now) ^ UInt64((event.host ?? -1) + 1)) &* 0x100_0000_01b3
        occur(event)
        return true
    }

    // MARK: The end

    private func checkEnd() {
        for item in queue.items.values.sorted(by: { $0.number < $1.number }) {
            let holder = item.holder.map { "host \($0)" } ?? "no host"
            queue.law.violate("item \(item.number) is lost: \(holder) holds it, fence \(item.fence)")
        }
        let law = queue.law
        if law.submitted != law.finished + law.replaced + law.cancelled + queue.items.count {
            queue.law.violate("\(law.submitted) items were submitted, \(law.finished) finished")
        }
        if !areCampaignsJoined { queue.law.violate("a campaign has hosts that never joined it") }
    }

    private var result: FleetResult {
        FleetResult(
            violations: queue.law.violations,
            events: eventCount + hosts.reduce(0) { $0 + $1.daemon.eventCount },
            simulatedSeconds: now / 1_000_000_000,
            submitted: queue.law.submitted,
            finished: queue.law.finished,
            replaced: queue.law.replaced,
            cancelled: queue.law.cancelled,
            rescued: queue.law.rescued,
            returned: queue.law.returned,
            superseded: queue.law.superseded,
            trace: trace
        )
    }
}

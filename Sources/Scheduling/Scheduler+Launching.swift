// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

// Whether pending work can be launched now, and what is arranged when it cannot.
extension Scheduler {
    /// Launches the plugin in that lane if anything of it may run, and otherwise sees to it that it is considered again.
    mutating func consider(_ plugin: PluginIdentifier, _ lane: Lane, at now: Moment) {
        guard !isStopping, hasCatalogue, plugins.contains(plugin), !loading.isMissing(plugin) else { return }
        if reckonAnewIfDue(plugin, at: now) { return }
        if lane == .event { return considerEvents(of: plugin, at: now) }
        passDeferral(of: plugin, in: lane, at: now)
        guard hasCandidates(plugin, in: lane) else { return noteWaits(of: plugin, in: lane, [], at: now) }
        if lane == .continued { return considerContinued(of: plugin, at: now) }
        let occupant = plugins[plugin].occupants[lane]
        // What a launch leaves behind is considered once it runs.
        if let occupant, launches.find(occupant)?.isUnderWay == true { return }
        let evaluation = evaluate(plugin, in: lane, at: now)
        if occupant == nil, !evaluation.eligible.isEmpty {
            waiters.set([], for: ConditionWaiters.Waiter(plugin: plugin, lane: lane))
            plugins[plugin].occupants[lane] = prepareLaunch(of: plugin, in: lane)
        } else {
            arrange(evaluation.groups, of: plugin, in: lane, at: now)
        }
    }

    /// Whether the plugin has ready requests or events in a lane.
    func hasCandidates(_ plugin: PluginIdentifier, in lane: Lane) -> Bool {
        // On the fields alone: a method of the plugin's state would have it copied.
        lane == .event ? !plugins[plugin].events.isEmpty : plugins[plugin].requests.groups.count(in: lane) > 0
    }

    /// Requests of a plugin may wait in either lane.
    mutating func considerRequests(of plugin: PluginIdentifier, at now: Moment) {
        consider(plugin, .background, at: now)
        consider(plugin, .continued, at: now)
    }

    private mutating func considerEvents(of plugin: PluginIdentifier, at now: Moment) {
        guard hasCandidates(plugin, in: .event) else { return noteWaits(of: plugin, in: .event, [], at: now) }
        let occupant = plugins[plugin].occupants[.event]
        if let occupant, launches.find(occupant)?.isUnderWay == true { return }
        guard let first = plugins[plugin].events.first else { return }
        let reasons = reasons(against: first, at: now)
        if occupant == nil, reasons.isEmpty {
            plugins[plugin].occupants[.event] = prepareLaunch(of: plugin, in: .event)
        } else {
            let group = LaneEvaluation.Group(index: 0, key: GroupKey(workClass: .event), reasons: reasons)
            arrange([group], of: plugin, in: .event, at: now)
        }
    }

    func reasons(against event: PendingEvent, for own: LaunchNumber? = nil, at now: Moment) -> [Reason] {
        var facts = Eligibility.WorkFacts()
        facts.isInFlight = plugins[event.plugin].memory == .clearing
        let standing = standing(of: event.plugin, in: .event, for: own)
        return reasons(against: .event(event), facts, standing, occupancy(of: .event, for: own), at: now)
    }

    /// Has a runner made ready; what it will run is decided when it is.
    mutating func prepareLaunch(of plugin: PluginIdentifier, in lane: Lane) -> LaunchNumber {
        lastLaunch = LaunchNumber(rawValue: lastLaunch.rawValue + 1)
        launches.add(Launch(number: lastLaunch, plugin: plugin, lane: lane))
        beginWork(of: plugin, in: lane)
        emit(.takeRunner(lastLaunch, container: mainPlugin(of: plugin)))
        return lastLaunch
    }

    // MARK: Batches

    /// What a launch of that lane takes now. One that must run alone is a batch by itself (C3).
    ///
    /// - Parameter own: the launch that the batch is for.
    mutating func batch(
        of plugin: PluginIdentifier,
        in lane: Lane,
        for own: LaunchNumber,
        at now: Moment
    ) -> [PendingWork] {
        reckonAnewIfDue(plugin, at: now)
        switch lane {
        case .event: return eventBatch(of: plugin, for: own, at: now).map { .event($0) }
        case .continued: return continuedBatch(of: plugin, for: own, at: now).map { .request($0) }
        case .background:
            passDeferral(of: plugin, in: lane, at: now)
            let eligible = evaluate(plugin, in: lane, for: own, at: now).eligible
            let alone = eligible.filter(\.key.runsAlone)
            let groups = (alone.isEmpty ? eligible : alone).map(\.index)
            let limit = alone.isEmpty ? configuration.batchSize : 1
            return oldest(limit, of: plugin, in: groups).map { .request($0) }
        }
    }

    /// Events keep their order: one that waits holds back what came after it (C11).
    private func eventBatch(of plugin: PluginIdentifier, for own: LaunchNumber, at now: Moment) -> [PendingEvent] {
        guard let first = plugins[plugin].events.first, reasons(against: first, for: own, at: now).isEmpty else {
            return []
        }
        if first.retry.runsAlone { return [first] }
        let events = plugins[plugin].events.events(after: nil, limit: configuration.batchSize)
        return Array(events.prefix { !$0.retry.runsAlone && $0.retry.rest(at: now, configuration) == nil })
    }

    // MARK: What is arranged

    /// Arranges that waiting groups are considered when what they wait for may have come, and notes what that is.
    mutating func arrange(
        _ groups: [LaneEvaluation.Group],
        of plugin: PluginIdentifier,
        in lane: Lane,
        at now: Moment
    ) {
        var conditions: MachineConditions = []
        for group in groups {
            var waited: MachineConditions = []
            for reason in group.reasons { waited.formUnion(arrange(reason, of: plugin, in: lane, at: now)) }
            // The history shows what else stands against a class that waits for the machine.
            if !waited.isEmpty { conditions.formUnion(group.key.workClass.conditions) }
            // However briefly it waits: what the sensors learnt is not to be learnt anew then.
            if group.key.workClass.kind.isProcessing { conditions.insert(.use) }
        }
        waiters.set(conditions, for: ConditionWaiters.Waiter(plugin: plugin, lane: lane))
        if !conditions.isEmpty { toWatchAnew.insert(plugin) }
        noteWaits(of: plugin, in: lane, groups, at: now)
        awaitDeferral(of: groups, plugin, lane, at: now)
    }

    /// - Returns: the conditions of the machine that it waits for.
    private mutating func arrange(
        _ reason: Reason,
        of plugin: PluginIdentifier,
        in lane: Lane,
        at now: Moment
    ) -> MachineConditions {
        // Without an end, the change of a condition or the event that ends the reason leads to an evaluation.
        switch reason.end {
        case .monotonic(let until): agenda.add(.plugin(plugin, lane), at: until)
        case .wall(let until): agenda.add(.plugin(plugin, lane), at: until)
        case nil: break
        }
        let row = reason.kind.row
        if row.traits.contains(.capacity) {
            let uses = plugins[plugin].record.uses
            capacity[lane, default: CapacityQueue()].enter(plugin, use: uses.total(at: now.wall), at: now.monotonic)
        }
        return row.conditions
    }

    // MARK: Capacity

    /// Takes a launch out: its lane is considered for whoever waited, then for the plugin itself.
    mutating func release(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.remove(number) else { return }
        leaveLane(launch.lane, launch, at: now)
    }

    mutating func leaveLane(_ lane: Lane, _ launch: Launch, at now: Moment) {
        let plugin = launch.plugin
        if plugins[plugin].occupants[lane] == launch.number { plugins[plugin].occupants[lane] = nil }
        plugins[plugin].releaseReservation(of: launch.number)
        // Who waited longest comes before the plugin that just had its turn.
        fillCapacity(of: lane, at: now)
        consider(plugin, lane, at: now)
        lookAfter(plugin, at: now)
    }

    /// Considers those that wait for capacity for as long as there is some.
    mutating func fillCapacity(of lane: Lane, at now: Moment) {
        let policies = configuration.policies
        let limit = policies.off.contains(.use) ? nil : policies.roomPatience
        for _ in 0..<Self.capacitySlice {
            guard launches.count(in: lane) < configuration.launchLimit(in: lane),
                let next = capacity[lane]?.next(at: now.monotonic, limit: limit)
            else { return }
            consider(next, lane, at: now)
        }
        backlog.add(.fillCapacity(lane))
    }

    private static let capacitySlice = 64

    /// The oldest members of groups, in the order of their numbers.
    private func oldest(_ limit: Int, of plugin: PluginIdentifier, in groups: [UInt16]) -> [PendingRequest] {
        var cursors = groups.map { (members: plugins[plugin].requests.groups[$0].members, next: 0) }
        var places: [RequestPlace] = []
        while places.count < limit {
            let open = cursors.indices.filter { cursors[$0].next < cursors[$0].members.count }
            let first = open.min {
                cursors[$0].members[cursors[$0].next].number < cursors[$1].members[cursors[$1].next].number
            }
            guard let first else { break }
            places.append(cursors[first].members[cursors[first].next])
            cursors[first].next += 1
        }
        return places.compactMap { presented($0, of: plugin) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

// Launching of pending work, and the alarms and waits for work that cannot run yet.
extension Scheduler {
    /// Prepares a launch of the plugin in the lane if any work of that lane may run. Otherwise arranges the next
    /// evaluation of this work.
    mutating func consider(_ plugin: PluginIdentifier, _ lane: Lane, at now: Moment) {
        guard !isStopping, hasCatalogue, plugins.contains(plugin), !loading.isMissing(plugin) else { return }
        reckonAnewIfDue(plugin, at: now)
        lapseOverdue(plugin, at: now)
        if lane == .event { return considerEvents(of: plugin, at: now) }
        passDeferral(of: plugin, in: lane, at: now)
        guard hasCandidates(plugin, in: lane) else { return noteWaits(of: plugin, in: lane, [], at: now) }
        if lane == .continued { return considerContinued(of: plugin, at: now) }
        let occupant = plugins[plugin].occupants[lane]
        // The work that a starting launch leaves is evaluated once it runs.
        if let occupant, launches.find(occupant)?.isUnderWay == true { return }
        let evaluation = evaluate(plugin, in: lane, at: now)
        if occupant == nil, !evaluation.eligible.isEmpty {
            waiters.set([], for: ConditionWaiters.Waiter(plugin: plugin, lane: lane))
            plugins[plugin].occupants[lane] = prepareLaunch(of: plugin, in: lane)
        } else {
            arrange(evaluation.groups, of: plugin, in: lane, at: now)
        }
    }

    /// Whether the plugin has ready requests or waiting events in the lane.
    func hasCandidates(_ plugin: PluginIdentifier, in lane: Lane) -> Bool {
        // Accesses the fields directly: a method of the plugin's state would copy it.
        lane == .event ? !plugins[plugin].events.isEmpty : plugins[plugin].requests.groups.count(in: lane) > 0
    }

    /// Considers launches of the plugin in each lane of requests.
    mutating func considerRequests(of plugin: PluginIdentifier, at now: Moment) {
        consider(plugin, .background, at: now)
        consider(plugin, .continued, at: now)
        consider(plugin, .transfer, at: now)
    }

    private mutating func considerEvents(of plugin: PluginIdentifier, at now: Moment) {
        guard hasCandidates(plugin, in: .event) else { return noteWaits(of: plugin, in: .event, [], at: now) }
        let occupant = plugins[plugin].occupants[.event]
        if let occupant, launches.find(occupant)?.isUnderWay == true { return }
        guard let first = nextEvent(of: plugin, at: now) else { return }
        awaitRelaunches(of: plugin, at: now)
        let reasons = reasons(against: first, at: now)
        if occupant == nil, reasons.isEmpty {
            plugins[plugin].occupants[.event] = prepareLaunch(of: plugin, in: .event)
        } else {
            let group = LaneEvaluation.Group(index: 0, key: GroupKey(workClass: .event), reasons: reasons)
            arrange([group], of: plugin, in: .event, at: now)
        }
    }

    /// The reasons that block an event.
    ///
    /// - Parameters:
    ///   - own: the launch whose batch is being formed; it does not block its own work.
    ///   - alone: the label of the plugin's first waiting event, if `event` has to wait until that one is delivered;
    ///     nil otherwise.
    func reasons(
        against event: PendingEvent,
        for own: LaunchNumber? = nil,
        behind alone: String? = nil,
        at now: Moment
    ) -> [Reason] {
        var facts = Eligibility.WorkFacts()
        facts.alone = alone
        facts.isInFlight = plugins[event.plugin].recordState == .clearing
        let standing = standing(of: event.plugin, in: .event, for: own)
        return reasons(against: .event(event), facts, standing, occupancy(of: .event, for: own), at: now)
    }

    /// Requests a runner for a new launch; its batch is formed when the runner is ready.
    ///
    /// - Parameter change: the submission in flight for which the launch is prepared; nil when its work is on disk.
    mutating func prepareLaunch(
        of plugin: PluginIdentifier,
        in lane: Lane,
        during change: ChangeNumber? = nil
    ) -> LaunchNumber {
        lastLaunch = LaunchNumber(rawValue: lastLaunch.rawValue + 1)
        launches.add(
            ScheduledLaunch(number: lastLaunch, plugin: plugin, lane: lane, preparedAt: lastWall, for: change)
        )
        beginWork(of: plugin, in: lane)
        let preparation = LaunchPreparation(
            plugin: plugin,
            container: mainPlugin(of: plugin),
            secrets: plugins[plugin].entry?.secrets ?? [],
            mainBundle: lane == .transfer ? nil : plugins[plugin].entry?.mainBundle,
            stagesTransfers: lane == .transfer
        )
        emit(.takeRunner(lastLaunch, preparation))
        return lastLaunch
    }

    // MARK: Batches

    /// The batch of a launch: the work of the lane that may run now. A task that has to run in a launch by itself is
    /// the only one of its batch (C3).
    ///
    /// - Parameter own: the launch for which the batch is formed.
    mutating func batch(
        of plugin: PluginIdentifier,
        in lane: Lane,
        for own: LaunchNumber,
        at now: Moment
    ) -> [PendingWork] {
        reckonAnewIfDue(plugin, at: now)
        lapseOverdue(plugin, at: now)
        switch lane {
        case .event: return eventBatch(of: plugin, for: own, at: now).map { .event($0) }
        case .continued: return continuedBatch(of: plugin, for: own, at: now).map { .request($0) }
        case .background, .transfer:
            passDeferral(of: plugin, in: lane, at: now)
            let eligible = evaluate(plugin, in: lane, for: own, at: now).eligible
            let alone = eligible.filter(\.key.runsAlone)
            let groups = (alone.isEmpty ? eligible : alone).map(\.index)
            let most = lane == .transfer ? configuration.transfers.mostPerLaunch : configuration.batchSize
            let limit = alone.isEmpty ? most : 1
            return oldest(limit, of: plugin, in: groups).map { .request($0) }
        }
    }

    /// The batch of an event launch: the first waiting events. Events keep their order: a waiting event that may not
    /// run blocks all later ones (C11), except while it waits for the spacing of relaunches.
    ///
    /// - Parameter own: the launch for which the batch is formed.
    private func eventBatch(of plugin: PluginIdentifier, for own: LaunchNumber, at now: Moment) -> [PendingEvent] {
        guard let first = nextEvent(of: plugin, at: now), reasons(against: first, for: own, at: now).isEmpty else {
            return []
        }
        // Each alert has its own time, and its notification is shown before a later one starts.
        if first.retry.runsAlone || first.type == .notification { return [first] }
        let unspaced = plugins[plugin].events.all.lazy.filter { !isSpaced($0, at: now) }
        let events = Array(unspaced.prefix(configuration.batchSize))
        // Of the events of a plugin, only the retry delay differs: the other reasons were evaluated with the first one.
        // An event that runs alone ends the batch, because the first event is in it.
        return Array(
            events.prefix { event in
                !event.retry.runsAlone && event.type != .notification
                    && Eligibility.timeReasons(against: .event(event), configuration: configuration, now: now).isEmpty
            }
        )
    }

    // MARK: Arrangements for waiting work

    /// Arranges the next evaluation of groups of waiting requests, and adds their reasons to the wait history.
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
            // All conditions of the class are included, so that the wait history shows every reason while it waits for
            // the machine.
            if !waited.isEmpty { conditions.formUnion(group.key.workClass.conditions) }
            // Also for a short wait: the idle time that the sensors have measured is then kept.
            if group.key.workClass.waitsForIdle { conditions.insert(.sampled) }
        }
        waiters.set(conditions, for: ConditionWaiters.Waiter(plugin: plugin, lane: lane))
        if !conditions.isEmpty { toWatchAnew.insert(plugin) }
        noteWaits(of: plugin, in: lane, groups, at: now)
        awaitDeferral(of: groups, plugin, lane, at: now)
    }

    /// Sets the alarm for the end of one reason, if the end is known. Queues the plugin for capacity if the reason is a
    /// lack of capacity. Returns the conditions whose change may end the reason.
    private mutating func arrange(
        _ reason: Reason,
        of plugin: PluginIdentifier,
        in lane: Lane,
        at now: Moment
    ) -> MachineConditions {
        // A reason without an end is ended by a change of conditions or an event, which leads to an evaluation. So is a
        // pause: its end has an alarm of its own and takes effect with its commit, which may fail or come late.
        switch reason.kind == .pluginPaused ? nil : reason.end {
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

    /// Removes a launch. This frees the lane of its plugin and the capacity that the launch used. The plugins that wait
    /// for this capacity are evaluated first, then the plugin of the removed launch.
    mutating func release(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.remove(number) else { return }
        leaveLane(launch.lane, launch, at: now)
    }

    mutating func leaveLane(_ lane: Lane, _ launch: ScheduledLaunch, at now: Moment) {
        let plugin = launch.plugin
        if plugins[plugin].occupants[lane] == launch.number { plugins[plugin].occupants[lane] = nil }
        if lane == .transfer { shareTransferLane(of: plugin) }
        plugins[plugin].releaseReservation(of: launch.number)
        // Other waiting plugins come before the plugin that just had its turn.
        fillCapacity(of: lane, at: now)
        consider(plugin, lane, at: now)
        reevaluate(plugin, at: now)
    }

    /// Evaluates the plugins that wait for capacity of a lane, while capacity is free. One call evaluates at most
    /// `capacitySlice` plugins; a chore evaluates the rest.
    mutating func fillCapacity(of lane: Lane, at now: Moment) {
        let policies = configuration.policies
        let limit = policies.off.contains(.use) ? nil : policies.maximumCapacityWait
        for _ in 0..<Self.capacitySlice {
            guard hasCapacity(in: lane), let next = capacity[lane]?.next(at: now.monotonic, limit: limit)
            else { return }
            consider(next, lane, at: now)
        }
        backlog.add(.fillCapacity(lane))
    }

    private static let capacitySlice = 64

    /// The oldest members of the groups, ordered by number, at most `limit`.
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

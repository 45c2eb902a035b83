// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Whether pending work can be launched now, and what is arranged when it cannot.
extension Scheduler {
    /// Looks whether the plugin can be launched in that lane, and if not, sees to it that it is looked at again.
    mutating func consider(_ plugin: PluginIdentifier, _ lane: Lane, at now: Moment) {
        guard !isStopping, let state = plugins[plugin] else { return }
        let candidates = state.candidates(in: lane)
        if candidates.isEmpty { return }
        if lane == .continued {
            for work in candidates where state.reserved[work.number] == nil { considerContinued(work, at: now) }
            return
        }
        if let occupant = state.occupants[lane], launches[occupant]?.isUnderWay == true { return }
        let batch = state.occupants[lane] == nil ? batch(of: plugin, in: lane, at: now) : []
        if !batch.isEmpty {
            let number = prepareLaunch(of: plugin, in: lane)
            plugins[plugin]?.occupants[lane] = number
        }
        // What a launch leaves behind is looked at once it runs.
        if batch.isEmpty { for work in candidates { arrange(work, in: lane, at: now) } }
    }

    /// Requests of a plugin may wait in either lane.
    mutating func considerRequests(of plugin: PluginIdentifier, at now: Moment) {
        consider(plugin, .background, at: now)
        consider(plugin, .continued, at: now)
    }

    /// Has a runner made ready; what it will run is decided when it is.
    mutating func prepareLaunch(of plugin: PluginIdentifier, in lane: Lane) -> LaunchNumber {
        lastLaunch = LaunchNumber(rawValue: lastLaunch.rawValue + 1)
        launches[lastLaunch] = LaunchState(number: lastLaunch, plugin: plugin, lane: lane)
        launchesInLane[lane, default: 0] += 1
        beginWork(of: plugin, in: lane)
        emit(.takeRunner(lastLaunch, container: mainPlugin(of: plugin)))
        return lastLaunch
    }

    /// What a launch of that lane would take now. One that must run alone is a batch by itself (C3).
    ///
    /// - Parameter own: the launch that the batch is for; its place in lane and host does not stand in its own way.
    func batch(
        of plugin: PluginIdentifier,
        in lane: Lane,
        for own: LaunchNumber? = nil,
        at now: Moment
    ) -> [PendingWork] {
        guard let state = plugins[plugin] else { return [] }
        let standing = standing(of: state, in: lane, for: own)
        let occupancy = occupancy(of: lane, for: own)
        var eligible: [PendingWork] = []
        for work in state.candidates(in: lane) where eligible.count < configuration.batchSize {
            // Each continued request has a launch of its own.
            if lane == .continued, state.reserved[work.number] != own { continue }
            if reasons(against: work, of: state, for: own, standing, occupancy, at: now).isEmpty {
                eligible.append(work)
            } else if lane == .event {
                break  // Events keep their order: what waits holds back what came after it (C11).
            }
        }
        guard let alone = eligible.firstIndex(where: \.retry.runsAlone) else { return eligible }
        if lane == .event && alone > 0 { return Array(eligible[..<alone]) }
        return [eligible[alone]]
    }

    /// - Parameter isPersonsWish: nil where it is as it was said before.
    func reasons(
        against work: PendingWork,
        of state: PluginState,
        isPersonsWish: Bool? = nil,
        for own: LaunchNumber? = nil,
        _ standing: Eligibility.Standing,
        _ occupancy: Eligibility.Occupancy,
        at now: Moment
    ) -> [Reason] {
        var standing = standing
        let isContinued = work.kind.lane == .continued
        if isContinued {
            let awaited = awaitedLaunch(of: work, in: state)
            standing.laneOccupant = awaited == own ? nil : awaited
        }
        return Eligibility.reasons(
            against: work,
            isBeingRecorded: state.isBeingRecorded(work),
            isPersonsWish: isPersonsWish ?? (work.identifier.map { state.wished.contains($0) } ?? false),
            needsRoom: !isContinued || needsRoom(work, of: state),
            standing: standing,
            conditions: conditions,
            occupancy: occupancy,
            configuration: configuration,
            now: now
        )
    }

    func standing(of state: PluginState, in lane: Lane, for own: LaunchNumber? = nil) -> Eligibility.Standing {
        let occupant = state.occupants[lane]
        return Eligibility.Standing(
            plugin: state.identifier,
            entry: state.entry,
            refusal: state.refusal,
            isOrphan: state.isOrphan,
            policy: configuration.policy(for: state.identifier),
            main: state.containingPlugin.map { main in
                Eligibility.MainPlugin(
                    identifier: main,
                    isInstalled: plugins[main]?.entry != nil,
                    refusal: plugins[main]?.refusal,
                    isEnabled: configuration.policy(for: main).isEnabled
                )
            },
            laneOccupant: occupant == own ? nil : occupant,
            restsUntil: state.restsUntil,
            record: state.record,
            runnerRetry: state.runnerRetry,
            solo: nil
        )
    }

    /// Launches that a continued task is on its way into: they take room in that lane once it is on disk.
    private var launchesComing: Int { launches.values.count { $0.lane != .continued && !$0.arriving.isEmpty } }

    func occupancy(of lane: Lane, for own: LaunchNumber? = nil) -> Eligibility.Occupancy {
        Eligibility.Occupancy(
            launchesInLane: (launchesInLane[lane] ?? 0) + (lane == .continued ? launchesComing : 0)
                - (own == nil ? 0 : 1),
            isStopping: isStopping,
            surges: surges
        )
    }

    /// Arranges that waiting work is looked at when what it waits for may have come, and remembers what that is.
    mutating func arrange(_ work: PendingWork, in lane: Lane, at now: Moment) {
        guard let state = plugins[work.plugin] else { return }
        let reasons = reasons(against: work, of: state, standing(of: state, in: lane), occupancy(of: lane), at: now)
        for reason in reasons {
            switch reason {
            case .earliestBegin, .retryDelay: schedule(work, at: now)
            case .spacing(let until), .runnerUnavailable(let until, _), .spread(let until, _):
                agenda.addOnce(.plugin(work.plugin, lane), at: until)
            case .dayBudget(let until, _): agenda.addOnce(.plugin(work.plugin, lane), at: until)
            case .externalPower, .network, .containerLocked, .resourcesMissing, .useUnknown, .notIdle, .highLoad,
                .memoryPressure, .heat:
                awaitConditions(work.plugin)
            case .launchLimit: waitingForRoom[lane, default: WaitingRoom()].enter(work.plugin, at: now.monotonic)
            case .pluginMissing, .pluginRefused, .pluginDisabled, .identifierNotPermitted, .modeMissing,
                .entitlementMissing, .backgroundDenied, .backgroundRefreshOff, .laneBusy, .othersRunAlone,
                .beingRecorded, .hostStopping:
                break  // The event that changes these considers the plugin again.
            }
        }
        // However briefly it waits: what was learnt about the machine is not to be learnt anew then.
        if work.kind.isProcessing { awaitConditions(work.plugin) }
        noteWait(of: work, for: reasons, at: now)
        awaitPatience(of: work, at: now)
    }

    /// Frees the lane, then looks at the plugin's next work and at who waited for room.
    mutating func leaveLane(_ launch: LaunchState, at now: Moment) {
        if plugins[launch.plugin]?.occupants[launch.lane] == launch.number {
            plugins[launch.plugin]?.occupants[launch.lane] = nil
        }
        plugins[launch.plugin]?.releaseReservation(of: launch.number)
        launchesInLane[launch.lane, default: 1] -= 1
        // Who waited longest comes before the plugin that just had its turn.
        while let next = nextForRoom(in: launch.lane, at: now) { consider(next, launch.lane, at: now) }
        consider(launch.plugin, launch.lane, at: now)
        miss(launch.plugin, at: now)
    }

    private mutating func nextForRoom(in lane: Lane, at now: Moment) -> PluginIdentifier? {
        // The same room that the work itself is judged by: who would only wait on is not asked again and again.
        guard occupancy(of: lane).launchesInLane < configuration.launchLimit(in: lane) else { return nil }
        let policies = configuration.policies
        let plugins = plugins
        return waitingForRoom[lane]?.next(
            at: now.monotonic,
            patience: policies.off.contains(.use) ? nil : policies.roomPatience,
            use: { plugins[$0]?.record.uses.total(at: now.wall) ?? 0 }
        )
    }

    mutating func setAlarm(of number: LaunchNumber) {
        guard let time = launches[number]?.nextAlarm else { return }
        if let set = launches[number]?.alarmAt, set <= time { return }
        launches[number]?.alarmAt = time
        agenda.add(.launch(number), at: time)
    }
}

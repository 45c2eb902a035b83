// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The groups of ready requests of one plugin in one lane, with the reasons against each group.
struct LaneEvaluation: Sendable {
    struct Group: Sendable {
        let index: UInt16
        let key: GroupKey
        let reasons: [Reason]
    }

    var groups: [Group] = []
    /// The oldest background request that must be the only task of its launch, and that no reason blocks except those
    /// of the whole plugin. The other requests of the lane wait for it. Nil when no such request exists.
    var alone: (number: SubmissionNumber, label: String)?

    /// The label of the request that has to run alone before the request `number`; nil without one.
    func alone(before number: SubmissionNumber) -> String? { alone.flatMap { $0.number == number ? nil : $0.label } }

    /// The groups that no reason blocks. When one of them has `runsAlone`, the next background launch takes one request
    /// from such a group and no others.
    var eligible: [Group] { groups.filter { $0.reasons.isEmpty } }
}

// Evaluation of work, once for each group of requests with the same reasons.
extension Scheduler {
    /// Evaluates the groups of a plugin's ready requests, each by its oldest member.
    ///
    /// - Parameter own: the launch whose batch is being formed; this launch does not block the requests.
    func evaluate(
        _ plugin: PluginIdentifier,
        in lane: Lane,
        for own: LaunchNumber? = nil,
        at now: Moment
    ) -> LaneEvaluation {
        evaluate(plugin, in: lane, standing(of: plugin, in: lane, for: own), occupancy(of: lane, for: own), at: now)
    }

    func evaluate(
        _ plugin: PluginIdentifier,
        in lane: Lane,
        _ standing: Eligibility.Standing,
        _ occupancy: Eligibility.Occupancy,
        at now: Moment
    ) -> LaneEvaluation {
        var evaluation = LaneEvaluation()
        for index in plugins[plugin].requests.groups.indices(in: lane) {
            guard let (key, first) = representative(of: index, plugin) else { continue }
            var facts = Eligibility.WorkFacts()
            facts.isInFlight = key.isInFlight
            if key.isOverdue { facts.overdueUntil = overdueEnd(at: now) }
            facts.isUserRequested = key.isUserRequested
            facts.isPermitted = key.isPermitted
            facts.isPaused = key.isPaused && lane == .transfer
            facts.renewalUntil = key.isPaused ? renewalEnd(of: first, at: now) : nil
            facts.awaitsDownload = key.awaitsDownload
            // Capacity is checked for each continued request, because a running launch may take it.
            facts.needsCapacity = lane != .continued
            let reasons = reasons(against: .request(first), facts, standing, occupancy, at: now)
            evaluation.groups.append(LaneEvaluation.Group(index: index, key: key, reasons: reasons))
            if key.runsAlone, lane == .background, reasons.allSatisfy({ $0.concernsWholePlugin }),
                evaluation.alone.map({ first.number < $0.number }) ?? true
            {
                evaluation.alone = (first.number, first.request.identifier.text)
            }
        }
        return evaluation
    }

    private func representative(of index: UInt16, _ plugin: PluginIdentifier) -> (GroupKey, PendingRequest)? {
        let group = plugins[plugin].requests.groups[index]
        guard let place = group.members.first else { return nil }
        return presented(place, of: plugin).map { (group.key, $0) }
    }

    func reasons(
        against work: PendingWork,
        _ facts: Eligibility.WorkFacts,
        _ standing: Eligibility.Standing,
        _ occupancy: Eligibility.Occupancy,
        at now: Moment
    ) -> [Reason] {
        Eligibility.reasons(
            against: work,
            facts,
            standing: standing,
            conditions: conditions,
            occupancy: occupancy,
            configuration: configuration,
            now: now
        )
    }

    /// The reasons against a single request, evaluated like its group. In addition, a continued request is blocked by
    /// the launch that may take it, and a background request by any other request that has to run in a launch by itself
    /// (`LaneEvaluation.alone`), whether that one is older or newer.
    ///
    /// - Parameter isLaunchedByUser: true for the reasons that would apply if a user requested the launch now.
    ///   `LaneEvaluation.alone` is then no reason: the launch may be requested and wait for that request.
    func reasons(against request: PendingRequest, isLaunchedByUser: Bool = false, at now: Moment) -> [Reason] {
        let (plugin, lane) = (request.plugin, request.request.kind.lane)
        let identifier = request.request.identifier
        let requests = plugins[plugin].requests
        var facts = Eligibility.WorkFacts()
        facts.isInFlight = requests.isInFlight(identifier)
        if request.isOverdue(at: now.wall) { facts.overdueUntil = overdueEnd(at: now) }
        facts.isUserRequested = isLaunchedByUser || requests.isUserRequested(identifier)
        facts.isPermitted = requests.isPermitted(identifier, as: request.request.kind)
        facts.isPaused = lane == .transfer && requests.isPaused(identifier)
        facts.renewalUntil = renewalEnd(of: request, at: now)
        facts.awaitsDownload = requests.awaitsDownload(identifier)
        var standing = standing(of: plugin, in: lane)
        if lane == .continued {
            standing.laneOccupant = awaitedLaunch(of: request.number, plugin)
            facts.needsCapacity = needsCapacity(request)
        }
        let work = PendingWork.request(presented(request))
        let occupancy = occupancy(of: lane)
        if lane == .background, !isLaunchedByUser {
            let evaluation = evaluate(plugin, in: lane, standing, occupancy, at: now)
            facts.alone = evaluation.alone(before: request.number)
        }
        return reasons(against: work, facts, standing, occupancy, at: now)
    }

    func standing(
        of plugin: PluginIdentifier,
        in lane: Lane,
        for own: LaunchNumber? = nil
    ) -> Eligibility.Standing {
        plugins.read(plugin) { state in
            let occupant = state.pointee.occupants[lane]
            return Eligibility.Standing(
                plugin: plugin,
                entry: state.pointee.entry,
                refusal: state.pointee.refusal,
                isOrphan: state.pointee.isOrphan,
                policy: state.pointee.policy,
                pause: pause(of: plugin),
                main: state.pointee.containingPlugin.map(standing(ofMain:)),
                laneOccupant: occupant == own ? nil : occupant,
                isOccupantStopping: occupant.map(launches.isStopping) ?? false,
                cooldownEnd: state.pointee.cooldownEnd,
                record: state.pointee.record,
                learnedUse: lane == .background ? learnedUse(of: plugin) : nil,
                runnerRetry: state.pointee.runnerRetry.map { ($0.at, $0.message) }
            )
        }
    }

    private func standing(ofMain main: PluginIdentifier) -> Eligibility.MainPlugin {
        Eligibility.MainPlugin(
            identifier: main,
            isInstalled: plugins.contains(main) && plugins[main].entry != nil,
            refusal: plugins.contains(main) ? plugins[main].refusal : nil,
            isEnabled: configuration.plugins[main]?.isEnabled ?? true,
            pause: pause(of: main)
        )
    }

    func occupancy(of lane: Lane, for own: LaunchNumber? = nil) -> Eligibility.Occupancy {
        var use = launches.use(of: lane)
        // The own launch is being prepared.
        if own != nil { use.running -= 1 }
        return Eligibility.Occupancy(
            use: use,
            isStopping: isStopping,
            startupWaves: startupWaves,
            diskShortage: lane == .background || lane == .transfer ? disk.shortage : nil,
            diskUser: disk.user
        )
    }

    /// Start of the deferral of a request that became due at `due`; nil when its deferral has not begun (C12).
    ///
    /// - Parameter isOwn: whether the request has a deferral of its own, instead of that of its class. `due` is then
    ///   the start of this deferral.
    func deferralStart(
        of plugin: PluginIdentifier,
        _ workClass: WorkClass,
        due: WallTime,
        isOwn: Bool
    ) -> WallTime? {
        isOwn ? due : plugins[plugin].waits[workClass]?.deferral.start(for: due)
    }

    /// The request to which `place` refers, with the start of its deferral filled in; nil when the request was removed.
    func presented(_ place: RequestPlace, of plugin: PluginIdentifier) -> PendingRequest? {
        let store = plugins[plugin].requests.store
        guard let slot = store[place] else { return nil }
        let request = store.request(slot, of: plugin)
        return presented(request, readySince: slot.group == RequestSlot.noGroup ? nil : slot.readySince)
    }

    func presented(_ request: PendingRequest) -> PendingRequest {
        presented(request, readySince: plugins[request.plugin].requests.readySince(of: request))
    }

    private func presented(_ request: PendingRequest, readySince since: WallTime?) -> PendingRequest {
        guard let since else { return request }
        var presented = request
        if let own = request.deferredSince {
            // A start in the future comes from a clock that was ahead, and is moved to the present.
            presented.deferredSince = min(own, since)
            return presented
        }
        let workClass = WorkClass(of: request.request)
        presented.deferredSince = deferralStart(of: request.plugin, workClass, due: since, isOwn: false)
        return presented
    }
}

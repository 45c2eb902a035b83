// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// From pending work to a running launch: a runner first, then the commit, then the plan.
extension Scheduler {
    /// Looks whether the plugin can be launched in that lane, and if not, sees to it that it is looked at again.
    mutating func consider(_ plugin: PluginIdentifier, _ lane: Lane, at now: Moment) {
        guard !isStopping, let state = plugins[plugin], state.occupants[lane] == nil else { return }
        let candidates = state.candidates(in: lane)
        if candidates.isEmpty { return }
        if batch(of: plugin, in: lane, at: now).isEmpty {
            for work in candidates { arrange(work, in: lane, at: now) }
            return
        }
        lastLaunch = LaunchNumber(rawValue: lastLaunch.rawValue + 1)
        launches[lastLaunch] = LaunchState(number: lastLaunch, plugin: plugin, lane: lane)
        plugins[plugin]?.occupants[lane] = lastLaunch
        launchesInLane[lane, default: 0] += 1
        emit(.takeRunner(lastLaunch, container: mainPlugin(of: plugin)))
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
            if reasons(against: work, of: state, standing, occupancy, at: now).isEmpty {
                eligible.append(work)
            } else if lane == .event {
                break  // Events keep their order: what waits holds back what came after it (C11).
            }
        }
        guard let alone = eligible.firstIndex(where: \.retry.runsAlone) else { return eligible }
        if lane == .event && alone > 0 { return Array(eligible[..<alone]) }
        return [eligible[alone]]
    }

    func reasons(
        against work: PendingWork,
        of state: PluginState,
        _ standing: Eligibility.Standing,
        _ occupancy: Eligibility.Occupancy,
        at now: Moment
    ) -> [Reason] {
        Eligibility.reasons(
            against: work,
            isBeingRecorded: work.identifier.map { state.recording[$0] != nil } ?? false,
            isPersonsWish: work.identifier.map { state.wished.contains($0) } ?? false,
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
            runnerRetry: state.runnerRetry,
            solo: nil
        )
    }

    func occupancy(of lane: Lane, for own: LaunchNumber? = nil) -> Eligibility.Occupancy {
        Eligibility.Occupancy(
            launchesInLane: (launchesInLane[lane] ?? 0) - (own == nil ? 0 : 1),
            isStopping: isStopping
        )
    }

    /// Arranges that waiting work is looked at when what it waits for may have come.
    private mutating func arrange(_ work: PendingWork, in lane: Lane, at now: Moment) {
        guard let state = plugins[work.plugin] else { return }
        for reason in reasons(against: work, of: state, standing(of: state, in: lane), occupancy(of: lane), at: now) {
            switch reason {
            case .earliestBegin, .retryDelay: schedule(work, at: now)
            case .spacing(let until), .runnerUnavailable(let until, _):
                agenda.add(.plugin(work.plugin, lane), at: until)
            case .externalPower, .network: waitingForConditions.insert(work.plugin)
            case .launchLimit:
                if waitingForRoom[lane]?.contains(work.plugin) != true {
                    waitingForRoom[lane, default: []].append(work.plugin)
                }
            case .pluginMissing, .pluginRefused, .pluginDisabled, .identifierNotPermitted, .modeMissing, .laneBusy,
                .othersRunAlone, .beingRecorded, .hostStopping:
                break  // The event that changes these considers the plugin again.
            }
        }
    }

    /// The runner is there: the batch is closed and committed. No plan is sent before that commit.
    mutating func start(_ number: LaunchNumber, in process: RunnerProcess, at now: Moment) {
        guard let launch = launches[number] else { return emit(.dismissRunner(number)) }
        guard launch.phase == .preparing else { return }
        let batch = batch(of: launch.plugin, in: launch.lane, for: number, at: now)
        guard !batch.isEmpty, !isStopping, let state = plugins[launch.plugin], let entry = state.entry else {
            emit(.dismissRunner(number))
            return drop(number, at: now)
        }
        let tasks = batch.enumerated().map {
            PlannedTask(id: TaskID(launch: number, index: $0.offset), work: $0.element)
        }
        let plan = LaunchPlan(
            number: number,
            plugin: entry,
            lane: launch.lane,
            cause: cause(of: batch, in: state),
            tasks: tasks,
            budget: budget(of: batch, for: entry.identifier, at: now),
            process: process,
            startedAt: now.wall
        )
        launches[number]?.phase = .starting
        launches[number]?.plan = plan
        launches[number]?.conditionsAtClose = conditions
        launches[number]?.tasks = tasks.map { LaunchState.Task(id: $0.id, work: $0.work) }
        for work in batch {
            work.identifier.map { plugins[launch.plugin]?.expected.remove($0, number: work.number) }
        }
        stage(.launchStart(number), [.startLaunch(plan)])
    }

    private func cause(of batch: [PendingWork], in state: PluginState) -> LaunchCause {
        if batch.contains(where: { $0.identifier.map(state.wished.contains) ?? false }) { return .person }
        if batch.contains(where: \.retry.wasInterrupted) { return .relaunch }
        return batch.first?.kind == .event ? .event : .due
    }

    /// The largest of its tasks' budgets, once for all of them (C7).
    private func budget(of batch: [PendingWork], for plugin: PluginIdentifier, at now: Moment) -> LaunchBudget {
        let policy = configuration.policy(for: plugin)
        let budgets = policy.budgets ?? configuration.budgets
        let total = batch.map { budgets[$0.kind] }.max() ?? budgets.event
        return LaunchBudget(total: total, grace: policy.grace ?? configuration.grace, startingAt: now.monotonic)
    }

    /// The launch is on disk: its requests are no longer pending (C1), and its time runs from here.
    mutating func run(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], let plan = launch.plan else { return }
        for work in plan.tasks.map(\.work) {
            switch work {
            case .request(let request):
                plugins[launch.plugin]?.remove(request.request.identifier, number: request.number)
                plugins[launch.plugin]?.expected.settle(request.request.identifier, through: request.number)
            case .event(let event): plugins[launch.plugin]?.remove(event: event.number)
            }
        }
        launches[number]?.phase = .running
        if let end = launch.endedEarly {
            return conclude(number, termination: end.termination, lastWords: end.lastWords, at: now)
        }
        if isStopping {
            launches[number]?.killReason = .hostStopping
            return emit(.kill(number))
        }
        let budget = LaunchBudget(
            total: plan.budget.total,
            grace: plan.budget.grace,
            startingAt: now.monotonic
        )
        let timed = LaunchPlan(
            number: number,
            plugin: plan.plugin,
            lane: plan.lane,
            cause: plan.cause,
            tasks: plan.tasks,
            budget: budget,
            process: plan.process,
            startedAt: plan.startedAt
        )
        launches[number]?.plan = timed
        emit(.sendPlan(timed))
        setAlarm(of: number)
    }

    /// No runner, or no commit: nothing was launched, and the plugin waits a little before the next try.
    mutating func giveUp(_ number: LaunchNumber, because message: String, at now: Moment) {
        guard let launch = launches[number], launch.phase == .preparing || launch.phase == .starting else { return }
        plugins[launch.plugin]?.runnerRetry = (now.monotonic + configuration.hostRetryDelay, message)
        drop(number, at: now)
    }

    /// Forgets a launch that never ran.
    private mutating func drop(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.removeValue(forKey: number) else { return }
        leaveLane(launch, at: now)
    }

    /// Frees the lane, then looks at the plugin's next work and at who waited for room.
    mutating func leaveLane(_ launch: LaunchState, at now: Moment) {
        plugins[launch.plugin]?.occupants[launch.lane] = nil
        launchesInLane[launch.lane, default: 1] -= 1
        // Who waited longest comes before the plugin that just had its turn.
        let limit = configuration.launchLimit(in: launch.lane)
        while (launchesInLane[launch.lane] ?? 0) < limit, let next = waitingForRoom[launch.lane]?.first {
            waitingForRoom[launch.lane]?.removeFirst()
            consider(next, launch.lane, at: now)
        }
        consider(launch.plugin, launch.lane, at: now)
        miss(launch.plugin, at: now)
    }

    mutating func setAlarm(of number: LaunchNumber) {
        guard let time = launches[number]?.nextAlarm else { return }
        if let set = launches[number]?.alarmAt, set <= time { return }
        launches[number]?.alarmAt = time
        agenda.add(.launch(number), at: time)
    }
}

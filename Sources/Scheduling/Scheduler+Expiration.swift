// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Telling tasks to stop, and ending launches that do not.
extension Scheduler {
    /// Each unfinished task is told once; the first reason stays. When that leaves none that may go on, the launch's
    /// assertions are told as well.
    ///
    /// - Parameter indices: the tasks that the reason concerns, finished or not; with none of them nothing happens.
    mutating func expire(
        _ number: LaunchNumber,
        _ indices: [Int],
        because reason: ExpirationReason,
        killAt: MonotonicTime
    ) {
        // A process that has ended is told nothing: what it left is judged by what it was told before.
        guard let launch = launches[number], !indices.isEmpty, launch.endedUndecided == nil else { return }
        let untold = indices.filter { launch.tasks[$0].outcome == nil && launch.tasks[$0].expiration == nil }
        if !untold.isEmpty {
            for index in untold { launches[number]?.tasks[index].expiration = (reason, killAt) }
            emit(.expire(number, untold.map { launch.tasks[$0].id }, reason))
            setAlarm(of: number)
        }
        expireAssertions(of: number, because: reason, killAt: killAt)
    }

    mutating func expireForBudget(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], let killAt = launch.plan?.budget.killDeadline else { return }
        // A continued task has no deadline, in whatever launch it runs (C8).
        let bound = launch.tasks.indices.filter { !launch.tasks[$0].isContinued }
        expire(number, bound, because: .budget, killAt: killAt)
    }

    /// The runner keeps the deadline too and may be a little earlier; it cannot put off the kill.
    mutating func runnerExpired(
        _ number: LaunchNumber,
        _ ids: [TaskID],
        _ reason: ExpirationReason,
        at now: Moment
    ) {
        guard let launch = launches[number], launch.phase == .running, launch.killReason == nil,
            launch.entry == .returned, reason == .budget, let killAt = launch.plan?.budget.killDeadline
        else { return }
        for index in ids.compactMap({ launch.index(of: $0) }) where launch.tasks[index].isGoingOn {
            if launch.tasks[index].isContinued { continue }
            launches[number]?.tasks[index].expiration = (.budget, killAt)
        }
        setAlarm(of: number)
    }

    /// A launch's moment has come: its deadline, a kill, or a commit to be tried again.
    mutating func lookAt(_ number: LaunchNumber, at now: Moment) {
        launches[number]?.alarmAt = nil
        guard let launch = launches[number] else { return }
        if let retry = launch.record.retryAt, retry <= now.monotonic {
            launches[number]?.record.retryAt = nil
            flush(number)
        }
        switch launch.phase {
        case .running where launch.endedUndecided != nil, .finishing where launch.endedUndecided != nil: break
        case .running: enforceTime(on: number, at: now)
        case .finishing(let by) where by <= now.monotonic && launch.killReason == nil: kill(number, because: .lingered)
        case .preparing, .starting, .finishing, .ended: break
        }
        setAlarm(of: number)
    }

    private mutating func enforceTime(on number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], let budget = launch.plan?.budget, launch.killReason == nil else { return }
        let isInEntry = launch.entry == .running
        // Entry has to return within the budget, or without one within the time that a stall is given.
        guard let deadline = isInEntry ? launch.entryDeadline : launch.hasOutlivedBudget ? nil : budget.deadline else {
            return enforceEnds(of: number, at: now)
        }
        if deadline <= now.monotonic, !launch.isBudgetUsedUp {
            launches[number]?.isBudgetUsedUp = true
            // In entry nothing was delivered that could be told to stop; the kill deadline stands all the same.
            // A host that comes late tells and kills at once: the runner kept the deadline by a timer of its own.
            if !isInEntry { expireForBudget(number, at: now) }
        }
        enforceEnds(of: number, at: now)
        guard let launch = launches[number], launch.killReason == nil, deadline + budget.grace <= now.monotonic else {
            return
        }
        if isInEntry {
            kill(number, because: .entryOverran)
        } else if launch.isBoundByBudget {
            kill(number, because: .overran)
        }
    }

    /// What was told to stop and has not, what makes no progress, and what outlasts the last task.
    private mutating func enforceEnds(of number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number] else { return }
        if launch.kills.contains(where: { $0 <= now.monotonic }) { return kill(number, because: .overran) }
        expireStalled(number, at: now)
        if let deadline = launch.assertionDeadline, deadline <= now.monotonic {
            let grace = launch.plan?.budget.grace ?? configuration.grace
            launches[number]?.assertionDeadline = nil
            expireAssertions(of: number, because: .budget, killAt: now.monotonic + grace)
        }
    }

    private mutating func kill(_ number: LaunchNumber, because reason: LaunchState.KillReason) {
        guard launches[number]?.endedUndecided == nil else { return }
        launches[number]?.killReason = reason
        emit(.kill(number))
    }

    /// Conditions that came back let work run; those that were lost expire exactly the tasks that need them (C7).
    mutating func change(to new: Conditions, at now: Moment) {
        let old = conditions
        conditions = new
        if !old.hasNetwork && new.hasNetwork { surge(\.network, at: now) }
        // In entry nothing was delivered yet: what is lost there is looked at when entry has returned.
        for number in launches.keys.sorted() where launches[number]?.entry == .returned {
            expireForConditions(number, lostSince: old, at: now)
        }
        let waiting = waitingForConditions.sorted()
        waitingForConditions = []
        for plugin in waiting { considerRequests(of: plugin, at: now) }
        if new.isMemoryLow { relievePressure(at: now) }
        guard new.hasNetwork, !fetchesWithoutNetwork.isEmpty else { return }
        let fetching = fetchesWithoutNetwork.sorted()
        fetchesWithoutNetwork = []
        for plugin in fetching { lookAtFetch(of: plugin, at: now) }
    }

    /// One that still runs is not begun anew: a link that comes and goes would keep work waiting for ever.
    mutating func surge(_ kind: WritableKeyPath<Surges, MonotonicTime?>, at now: Moment) {
        if let last = surges[keyPath: kind], now.monotonic - last < configuration.policies.spread { return }
        surges[keyPath: kind] = now.monotonic
    }

    /// What a person launched without its conditions has not lost them.
    mutating func expireForConditions(_ number: LaunchNumber, lostSince old: Conditions, at now: Moment) {
        guard let launch = launches[number], launch.phase == .running, launch.killReason == nil else { return }
        let killAt = now.monotonic + (launch.plan?.budget.grace ?? configuration.grace)
        for (reason, isNeeded) in losses(since: old) where launch.minds(reason) {
            let bereft = launch.tasks.indices.filter { isNeeded(launch.tasks[$0].work) }
            expire(number, bereft, because: reason, killAt: killAt)
        }
    }

    /// What was there and is not any more, with the work that cannot go on without it.
    private func losses(since old: Conditions) -> [(ExpirationReason, (PendingWork) -> Bool)] {
        var losses: [(ExpirationReason, (PendingWork) -> Bool)] = []
        if old.isOnExternalPower && !conditions.isOnExternalPower {
            losses.append((.externalPowerLost, \.needsExternalPower))
        }
        if old.hasNetwork && !conditions.hasNetwork { losses.append((.networkLost, \.needsNetwork)) }
        if old.isIdle && !conditions.isIdle && !configuration.policies.off.contains(.idle) {
            losses.append((.notIdle, \.kind.isProcessing))
        }
        let locked = conditions.containerLocks.filter { $0.value && old.containerLocks[$0.key] != true }
        if !locked.isEmpty {
            losses.append((.containerLocked, { $0.needsContainerThroughout && locked[$0.plugin] != nil }))
        }
        return losses
    }

    /// An orderly stop: nothing new starts, what runs is told, and what does not end in the grace is ended.
    mutating func stop(at now: Moment) {
        guard !isStopping else { return }
        isStopping = true
        // Time for the grace, and as much again for the record of what came of it.
        stopBy = now.monotonic + configuration.grace + configuration.grace + configuration.hostRetryDelay
        if let stopBy { agenda.add(.stop, at: stopBy) }
        if !hasCatalogue { recordRecovery() }
        for number in launches.keys.sorted() {
            guard let launch = launches[number], launch.phase == .running, launch.killReason == nil else { continue }
            let killAt = now.monotonic + (launch.plan?.budget.grace ?? configuration.grace)
            if launch.entry == .returned {
                expire(number, Array(launch.tasks.indices), because: .hostShutdown, killAt: killAt)
            } else {
                kill(number, because: .hostStopping)
            }
        }
    }
}

extension LaunchState {
    /// What was launched on a machine in use, by a person's wish or for want of patience, does not mind that it is.
    fileprivate func minds(_ reason: ExpirationReason) -> Bool {
        reason != .notIdle || conditionsAtClose?.isIdle ?? true
    }
}

extension PendingWork {
    var needsExternalPower: Bool {
        if case .request(let pending) = self { pending.request.requiresExternalPower } else { false }
    }

    var needsContainerThroughout: Bool {
        guard case .request(let pending) = self else { return false }
        return pending.request.kind == .healthResearch && pending.request.protection == .complete
    }

    var needsNetwork: Bool {
        if case .request(let pending) = self { pending.request.requiresNetwork } else { false }
    }
}

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
        guard let launch = launches[number], !indices.isEmpty else { return }
        let untold = indices.filter { launch.tasks[$0].outcome == nil && launch.tasks[$0].expiration == nil }
        if !untold.isEmpty {
            for index in untold { launches[number]?.tasks[index].expiration = (reason, killAt) }
            emit(.expire(number, untold.map { launch.tasks[$0].id }, reason))
            setAlarm(of: number)
        }
        expireAssertions(of: number, because: reason, killAt: killAt)
    }

    mutating func expireForBudget(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], let budget = launch.plan?.budget else { return }
        expire(number, Array(launch.tasks.indices), because: .budget, killAt: budget.killDeadline)
    }

    /// The runner keeps the deadline too and may be a little earlier; it cannot put off the kill.
    mutating func runnerExpired(
        _ number: LaunchNumber,
        _ ids: [TaskID],
        _ reason: ExpirationReason,
        at now: Moment
    ) {
        guard let launch = launches[number], launch.phase == .running, launch.killReason == nil,
            launch.entry == .returned, reason == .budget, let budget = launch.plan?.budget
        else { return }
        for index in ids.compactMap({ launch.index(of: $0) }) where launch.tasks[index].outcome == nil {
            guard launch.tasks[index].expiration == nil else { continue }
            launches[number]?.tasks[index].expiration = (.budget, budget.killDeadline)
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
        case .running: enforceTime(on: number, at: now)
        case .finishing(let by) where by <= now.monotonic && launch.killReason == nil: kill(number, because: .lingered)
        case .preparing, .starting, .finishing, .ended: break
        }
        setAlarm(of: number)
    }

    private mutating func enforceTime(on number: LaunchNumber, at now: Moment) {
        guard let budget = launches[number]?.plan?.budget, launches[number]?.killReason == nil else { return }
        let isInEntry = launches[number]?.entry == .running
        if budget.deadline <= now.monotonic, launches[number]?.isBudgetUsedUp == false {
            launches[number]?.isBudgetUsedUp = true
            // In entry nothing was delivered that could be told to stop; the kill deadline stands all the same.
            // A host that comes late tells and kills at once: the runner kept the deadline by a timer of its own.
            if !isInEntry { expireForBudget(number, at: now) }
        }
        let kills = launches[number]?.kills ?? []
        if kills.contains(where: { $0 <= now.monotonic }) { return kill(number, because: .overran) }
        if budget.killDeadline <= now.monotonic { kill(number, because: isInEntry ? .entryOverran : .overran) }
    }

    private mutating func kill(_ number: LaunchNumber, because reason: LaunchState.KillReason) {
        launches[number]?.killReason = reason
        emit(.kill(number))
    }

    /// Conditions that came back let work run; those that were lost expire exactly the tasks that need them (C7).
    mutating func change(to new: Conditions, at now: Moment) {
        let old = conditions
        conditions = new
        // In entry nothing was delivered yet: what is lost there is looked at when entry has returned.
        for number in launches.keys.sorted() where launches[number]?.entry == .returned {
            expireForConditions(number, lostSince: old, at: now)
        }
        let waiting = waitingForConditions.sorted()
        waitingForConditions = []
        for plugin in waiting { consider(plugin, .background, at: now) }
    }

    /// What a person launched without its conditions has not lost them.
    mutating func expireForConditions(_ number: LaunchNumber, lostSince old: Conditions, at now: Moment) {
        guard let launch = launches[number], launch.phase == .running, launch.killReason == nil else { return }
        let killAt = now.monotonic + (launch.plan?.budget.grace ?? configuration.grace)
        if old.isOnExternalPower && !conditions.isOnExternalPower {
            let powerless = launch.tasks.indices.filter { launch.tasks[$0].work.needsExternalPower }
            expire(number, powerless, because: .externalPowerLost, killAt: killAt)
        }
        if old.hasNetwork && !conditions.hasNetwork {
            let offline = launch.tasks.indices.filter { launch.tasks[$0].work.needsNetwork }
            expire(number, offline, because: .networkLost, killAt: killAt)
        }
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

extension PendingWork {
    var needsExternalPower: Bool {
        if case .request(let pending) = self { pending.request.requiresExternalPower } else { false }
    }

    var needsNetwork: Bool {
        if case .request(let pending) = self { pending.request.requiresNetwork } else { false }
    }
}

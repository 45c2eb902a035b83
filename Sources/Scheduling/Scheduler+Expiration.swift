// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Tasks that are told to stop, and launches that are killed.
extension Scheduler {
    /// Each unfinished task is told once; the first reason stays. When that leaves none that may go on, the launch's
    /// assertions are told as well.
    ///
    /// - Parameters:
    ///   - indices: the tasks that the reason concerns, finished or not; with none of them nothing happens.
    ///   - killAt: when what has not stopped is overdue; nil: after the grace period.
    mutating func expire(
        _ number: LaunchNumber,
        _ indices: [Int],
        because reason: ExpirationReason,
        killAt: MonotonicTime? = nil,
        at now: Moment
    ) {
        // A process that has ended is told nothing: what it left is judged by what it was told before.
        guard let execution = launches.find(number)?.execution, !indices.isEmpty, execution.end == nil else { return }
        let killAt = killAt ?? now.monotonic + execution.grace
        let untold = indices.filter { execution.tasks[$0].isGoingOn }
        if !untold.isEmpty {
            launches.execute(number) { execution in
                for index in untold { execution.tasks[index].expiration = (reason, killAt) }
            }
            emit(.expire(number, untold.map { execution.tasks[$0].id }, reason))
            toEnforceAnew.insert(number)
        }
        expireAssertions(of: number, because: reason, killAt: killAt)
    }

    mutating func expireForBudget(_ number: LaunchNumber, at now: Moment) {
        guard let execution = launches.find(number)?.execution, let killAt = execution.plan.budget.killDeadline else {
            return
        }
        // A continued task has no deadline, in whatever launch it runs (C8).
        let bound = execution.tasks.indices.filter { !execution.tasks[$0].isContinued }
        expire(number, bound, because: .budget, killAt: killAt, at: now)
    }

    /// The runner keeps the deadline too and may be a little earlier; it cannot put off the kill.
    mutating func runnerExpired(
        _ number: LaunchNumber,
        _ ids: [TaskID],
        _ reason: ExpirationReason,
        at now: Moment
    ) {
        guard let execution = launches.listening(number), execution.entry == .returned, reason == .budget,
            let killAt = execution.plan.budget.killDeadline
        else { return }
        launches.execute(number) { execution in
            for index in ids.compactMap({ execution.index(of: $0) })
            where execution.tasks[index].isGoingOn && !execution.tasks[index].isContinued {
                execution.tasks[index].expiration = (.budget, killAt)
            }
        }
        toEnforceAnew.insert(number)
    }

    // MARK: Limits

    /// Enforces the limits of a launch that have passed, one after the other.
    mutating func enforce(_ number: LaunchNumber, at now: Moment) {
        while let action = launches.find(number)?.enforcement(at: now.monotonic) {
            enforce(action, on: number, at: now)
        }
        toEnforceAnew.insert(number)
    }

    private mutating func enforce(_ action: Enforcement, on number: LaunchNumber, at now: Moment) {
        switch action {
        case .retryRecord:
            launches.update(number) { $0.record.retryAt = nil }
            flush(number)
        case .useUpBudget:
            let isInEntry = launches.find(number)?.execution?.entry.isRunning ?? false
            launches.execute(number) { $0.isBudgetUsedUp = true }
            // In entry nothing was delivered that could be told to stop; the kill deadline stands all the same.
            if !isInEntry { expireForBudget(number, at: now) }
        case .kill(let reason): kill(number, because: reason)
        case .expireStalled: expireStalled(number, at: now)
        case .expireAssertions:
            guard let grace = launches.find(number)?.execution?.grace else { return }
            launches.execute(number) { $0.assertionDeadline = nil }
            expireAssertions(of: number, because: .budget, killAt: now.monotonic + grace)
        }
    }

    mutating func kill(_ number: LaunchNumber, because reason: Execution.KillReason) {
        guard let execution = launches.find(number)?.execution, execution.isListening else { return }
        launches.execute(number) { $0.kill = reason }
        emit(.kill(number))
        toEnforceAnew.insert(number)
    }

    /// The launch thread has killed the launch at its kill time, after it had delivered what came before.
    mutating func killedByLaunchThread(_ number: LaunchNumber, at now: Moment) {
        guard launches.find(number)?.execution?.isListening == true else { return }
        enforce(number, at: now)
        guard let launch = launches.find(number), launch.execution?.isListening == true else { return }
        // What it had sent in time withdrew the kill, but too late for the launch thread: the plugin kept its limits.
        if case .finishing = launch.phase { return kill(number, because: .lingered) }
        kill(number, because: .killTimePassed)
    }

    // MARK: Conditions

    /// Conditions that came back let work run; those that were lost expire exactly the tasks that need them (C7).
    mutating func change(to new: Conditions, at now: Moment) {
        let old = conditions
        conditions = new
        let changes = new.changes(since: old)
        if changes.isEmpty { return }
        if !old.hasNetwork && new.hasNetwork { surge(\.network, at: now) }
        let losses = losses(since: old)
        if !losses.isEmpty {
            for number in launches.numbers { expire(number, for: losses, at: now) }
        }
        for waiter in waiters.waiting(for: changes) { backlog.add(.consider(waiter.plugin, waiter.lane)) }
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

    /// What was launched without its conditions, as a user asked, has not lost them.
    mutating func expireForConditions(_ number: LaunchNumber, lostSince old: Conditions, at now: Moment) {
        expire(number, for: losses(since: old), at: now)
    }

    private typealias Loss = (reason: ExpirationReason, isNeeded: (PendingWork) -> Bool)

    private mutating func expire(_ number: LaunchNumber, for losses: [Loss], at now: Moment) {
        // In entry nothing was delivered yet: what is lost there is looked at when entry has returned.
        guard let execution = launches.listening(number), execution.entry == .returned else { return }
        for loss in losses where execution.minds(loss.reason) {
            let bereft = execution.tasks.indices.filter { loss.isNeeded(execution.tasks[$0].work) }
            expire(number, bereft, because: loss.reason, at: now)
        }
    }

    /// What was there and is not any more, with the work that cannot go on without it.
    private func losses(since old: Conditions) -> [Loss] {
        var losses: [Loss] = []
        for condition in Condition.all where old[condition] && !conditions[condition] {
            guard let reason = condition.row.loss, !isIgnored(condition) else { continue }
            losses.append((reason, { $0.needs(condition) }))
        }
        let locked = conditions.containerLocks.filter { $0.value && old.containerLocks[$0.key] != true }
        if !locked.isEmpty {
            losses.append((.containerLocked, { $0.needsContainerThroughout && locked[$0.plugin] != nil }))
        }
        return losses
    }

    /// The operator switched off the policy that is the only one to need the condition.
    private func isIgnored(_ condition: Condition) -> Bool {
        condition == .idle && configuration.policies.off.contains(.idle)
    }

    /// An orderly stop: nothing new starts, what runs is told, and what does not end in the grace is ended.
    mutating func stop(at now: Moment) {
        guard !isStopping else { return }
        isStopping = true
        // Time for the grace, and as much again for the record of what came of it.
        stopBy = now.monotonic + configuration.grace + configuration.grace + configuration.hostRetryDelay
        if let stopBy { agenda.add(.stop, at: stopBy) }
        for event in loading.takeAllParked() { dispatch(event, at: now) }
        for plugin in plugins.names() where launches.hasLaunches(of: plugin) {
            for number in launches.numbers(of: plugin) { flush(number) }
        }
        for number in launches.numbers {
            guard let execution = launches.listening(number) else { continue }
            if execution.entry == .returned {
                expire(number, Array(execution.tasks.indices), because: .hostShutdown, at: now)
            } else {
                kill(number, because: .hostStopping)
            }
        }
    }
}

extension PendingWork {
    /// The work cannot go on without the condition.
    func needs(_ condition: Condition) -> Bool {
        guard case .request(let pending) = self else { return false }
        return condition.isNeeded(by: pending.request)
    }

    var needsContainerThroughout: Bool {
        guard case .request(let pending) = self else { return false }
        return pending.request.kind == .healthResearch && pending.request.protection == .complete
    }
}

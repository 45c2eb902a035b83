// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Expiration of tasks, and kills of launches.
extension Scheduler {
    /// Expires unfinished tasks. A task that was expired before keeps its first reason. If all unfinished tasks of the
    /// launch are expired afterwards, the assertions of the launch expire as well.
    ///
    /// - Parameters:
    ///   - indices: the tasks to expire; finished ones are skipped, and an empty list has no effect.
    ///   - killTime: the time at which the launch is killed if one of these tasks is still unfinished; nil for the end
    ///     of the grace period.
    mutating func expire(
        _ number: LaunchNumber,
        _ indices: [Int],
        because reason: ExpirationReason,
        killTime: MonotonicTime? = nil,
        at now: Moment
    ) {
        // Nothing is sent to a process that has ended: its unfinished tasks are judged by earlier expirations.
        guard let execution = launches.find(number)?.execution, !indices.isEmpty, execution.end == nil else { return }
        let killTime = killTime ?? now.monotonic + execution.gracePeriod
        let unexpired = indices.filter { execution.tasks[$0].isGoingOn }
        if !unexpired.isEmpty {
            launches.execute(number) { execution in
                for index in unexpired { execution.tasks[index].expiration = (reason, killTime) }
            }
            emit(.expire(number, unexpired.map { execution.tasks[$0].id }, reason))
            toEnforceAnew.insert(number)
        }
        expireAssertions(of: number, because: reason, killTime: killTime)
    }

    mutating func expireForBudget(_ number: LaunchNumber, at now: Moment) {
        guard let execution = launches.find(number)?.execution, let killTime = execution.plan.budget.killTime else {
            return
        }
        // A continued task has no deadline, whatever its launch (C8).
        let bound = execution.tasks.indices.filter { !execution.tasks[$0].isContinued }
        expire(number, bound, because: .budget, killTime: killTime, at: now)
    }

    /// Records an expiration that the runner performed. The runner also enforces the deadline of the budget, and may
    /// expire the tasks a little before the host would. The kill time does not change.
    mutating func runnerExpired(
        _ number: LaunchNumber,
        _ ids: [TaskID],
        _ reason: ExpirationReason,
        at now: Moment
    ) {
        guard let execution = launches.listening(number), execution.entry == .returned, reason == .budget,
            let killTime = execution.plan.budget.killTime
        else { return }
        launches.execute(number) { execution in
            for index in ids.compactMap({ execution.index(of: $0) })
            where execution.tasks[index].isGoingOn && !execution.tasks[index].isContinued {
                execution.tasks[index].expiration = (.budget, killTime)
            }
        }
        toEnforceAnew.insert(number)
    }

    // MARK: Limits

    /// Enforces the passed limits of a launch, in the order of their precedence.
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
            // During entry no task was delivered that could expire; the kill time applies nevertheless.
            if !isInEntry { expireForBudget(number, at: now) }
        case .kill(let reason): kill(number, because: reason)
        case .expireStalled: expireStalled(number, at: now)
        case .expireAssertions:
            guard let gracePeriod = launches.find(number)?.execution?.gracePeriod else { return }
            launches.execute(number) { $0.assertionDeadline = nil }
            expireAssertions(of: number, because: .budget, killTime: now.monotonic + gracePeriod)
        }
    }

    mutating func kill(_ number: LaunchNumber, because reason: Execution.KillReason) {
        guard let execution = launches.find(number)?.execution, execution.isListening else { return }
        launches.execute(number) { $0.kill = reason }
        emit(.kill(number))
        toEnforceAnew.insert(number)
    }

    /// Handles the message that the launch thread killed a launch at its kill time. The scheduler has handled all
    /// earlier messages of the runner before.
    mutating func killTimePassed(_ number: LaunchNumber, at now: Moment) {
        enforce(number, at: now)
        guard let launch = launches.find(number), launch.execution?.isListening == true else { return }
        // Messages sent in time withdrew the kill, but too late for the launch thread: the plugin kept its limits.
        if case .stopping = launch.phase { return kill(number, because: .lingered) }
        kill(number, because: .killTimePassed)
    }

    // MARK: Conditions

    /// Applies a change of conditions. Work that waited for a condition may run when the condition holds; the loss of a
    /// condition expires the tasks that need it (C7).
    mutating func change(to new: Conditions, at now: Moment) {
        let old = conditions
        conditions = new
        let changes = new.changes(since: old)
        if changes.isEmpty { return }
        if !old.hasNetwork && new.hasNetwork { noteStartupWave(\.network, at: now) }
        let losses = losses(since: old)
        if !losses.isEmpty {
            for number in launches.numbers { expire(number, for: losses, at: now) }
        }
        for waiter in waiters.waiting(for: changes) { backlog.add(.consider(waiter.plugin, waiter.lane)) }
        if new.isMemoryLow { relievePressure(at: now) }
        guard new.hasNetwork, !fetchesWithoutNetwork.isEmpty else { return }
        let fetching = fetchesWithoutNetwork.sorted()
        fetchesWithoutNetwork = []
        for plugin in fetching { checkFetch(of: plugin, at: now) }
    }

    /// Records the start of a start-up wave. A wave in progress does not start again: otherwise a network link that
    /// comes and goes would delay work without end.
    mutating func noteStartupWave(_ kind: WritableKeyPath<StartupWaves, MonotonicTime?>, at now: Moment) {
        if let last = startupWaves[keyPath: kind], now.monotonic - last < configuration.policies.stagger { return }
        startupWaves[keyPath: kind] = now.monotonic
    }

    /// Expires the tasks of a launch that need a condition lost since `old`, the conditions when the batch was closed.
    /// A condition that did not hold at that time is ignored.
    mutating func expireForConditions(_ number: LaunchNumber, lostSince old: Conditions, at now: Moment) {
        expire(number, for: losses(since: old), at: now)
    }

    private typealias Loss = (reason: ExpirationReason, isNeeded: (PendingWork) -> Bool)

    private mutating func expire(_ number: LaunchNumber, for losses: [Loss], at now: Moment) {
        // During entry no task was delivered; losses are checked when the entry function has returned.
        guard let execution = launches.listening(number), execution.entry == .returned else { return }
        for loss in losses where execution.minds(loss.reason) {
            let bereft = execution.tasks.indices.filter { loss.isNeeded(execution.tasks[$0].work) }
            expire(number, bereft, because: loss.reason, at: now)
        }
    }

    /// The conditions that held in `old` and do not hold now, each with a test for the work that needs the condition.
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

    /// Whether the loss of the condition has no effect, because the operator disabled the only policy that needs the
    /// condition.
    private func isIgnored(_ condition: Condition) -> Bool {
        condition == .idle && configuration.policies.off.contains(.idle)
    }

    /// Begins an orderly stop of the host: no launch starts, running tasks expire, and launches that outlast the grace
    /// period are killed. A launch whose entry function has not returned is killed at once.
    mutating func stop(at now: Moment) {
        guard !isStopping else { return }
        isStopping = true
        // Time for the grace period, and as much again to record the results.
        stopBy = now.monotonic + configuration.gracePeriod + configuration.gracePeriod + configuration.hostRetryDelay
        if let stopBy { agenda.add(.stop, at: stopBy) }
        noteEndOfSimulation(at: now)
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
    /// Whether the work has to stop when the condition is lost.
    func needs(_ condition: Condition) -> Bool {
        guard case .request(let pending) = self else { return false }
        return condition.isNeeded(by: pending.request)
    }

    var needsContainerThroughout: Bool {
        guard case .request(let pending) = self else { return false }
        return pending.request.kind == .healthResearch && pending.request.protection == .complete
    }
}

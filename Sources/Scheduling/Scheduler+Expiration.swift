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
        let killTime = killTime ?? execution.plan.budget.killTime(after: now.monotonic)
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
            guard let budget = launches.find(number)?.execution?.plan.budget else { return }
            launches.execute(number) { $0.assertionDeadline = nil }
            expireAssertions(of: number, because: .budget, killTime: budget.killTime(after: now.monotonic))
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
}

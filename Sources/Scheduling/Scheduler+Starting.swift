// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// From a runner that is ready to a launch that runs: the batch is closed, committed, and only then handed over.
extension Scheduler {
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
        launches[number]?.tasksHanded = tasks.count
        for work in batch {
            work.identifier.map { plugins[launch.plugin]?.expected.remove($0, number: work.number) }
        }
        let waits = batch.flatMap { endWait(of: $0, at: now) }
        stage(.launchStart(number), [.startLaunch(plan)] + waits)
    }

    private func cause(of batch: [PendingWork], in state: PluginState) -> LaunchCause {
        if batch.contains(where: { $0.identifier.map(state.wished.contains) ?? false }) { return .person }
        if batch.contains(where: \.retry.wasInterrupted) { return .relaunch }
        switch batch.first?.kind {
        case .event: return .event
        case .continued: return .person
        default: return .due
        }
    }

    /// The largest of its tasks' budgets, once for all of them (C7).
    private func budget(of batch: [PendingWork], for plugin: PluginIdentifier, at now: Moment) -> LaunchBudget {
        let policy = configuration.policy(for: plugin)
        let budgets = policy.budgets ?? configuration.budgets
        return LaunchBudget(
            total: batch.compactMap { budgets[$0.kind] }.max(),
            grace: policy.grace ?? configuration.grace,
            startingAt: now.monotonic
        )
    }

    /// The launch is on disk: its requests are no longer pending (C1), and its time runs from here.
    mutating func run(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], let plan = launch.plan else { return }
        for work in plan.tasks.map(\.work) {
            switch work {
            case .request(let request):
                leave(request.request.identifier, request.number, of: launch.plugin)
            case .event(let event): plugins[launch.plugin]?.remove(event: event.number)
            }
        }
        launches[number]?.phase = .running
        // From here on it is in the launch; should it come back, it is free to have another one.
        plugins[launch.plugin]?.releaseReservation(of: number)
        if let end = launch.endedEarly {
            return conclude(number, termination: end.termination, lastWords: end.lastWords, at: now)
        }
        if isStopping {
            launches[number]?.killReason = .hostStopping
            return emit(.kill(number))
        }
        let timed = plan.starting(at: now.monotonic)
        launches[number]?.plan = timed
        launches[number]?.entryDeadline = timed.budget.deadline ?? now.monotonic + configuration.stallLimit
        emit(.sendPlan(timed))
        setAlarm(of: number)
        consider(launch.plugin, launch.lane, at: now)
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
        endWork(of: launch.plugin, in: launch.lane)
        leaveLane(launch, at: now)
    }
}

extension LaunchPlan {
    fileprivate func starting(at start: MonotonicTime) -> LaunchPlan {
        LaunchPlan(
            number: number,
            plugin: plugin,
            lane: lane,
            cause: cause,
            tasks: tasks,
            budget: LaunchBudget(total: budget.total, grace: budget.grace, startingAt: start),
            process: process,
            startedAt: startedAt
        )
    }
}

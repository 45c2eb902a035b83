// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The start of a launch: its runner is ready, its batch is closed and committed, and only then sent. The runner enters
// its sandbox during this commit, or before it.
extension Scheduler {
    /// Closes and commits the batch of a launch whose runner is ready. The plan is sent only after the commit. The
    /// launch is dropped instead when its batch is empty, or when its runner was confined for an earlier manifest.
    mutating func commitBatch(of number: LaunchNumber, in process: RunnerProcess, at now: Moment) {
        guard let launch = launches.find(number), let preparation = launch.preparation else { return }
        let confined = preparation.runner
        let batch = isStopping ? [] : batch(of: launch.plugin, in: launch.lane, for: number, at: now)
        guard !batch.isEmpty, let entry = entry(of: launch.plugin, in: launch.lane),
            confined.map({ $0.entry == entry }) ?? true
        else {
            emit(.dismissRunner(number))
            return drop(launch, at: now)
        }
        let tasks = batch.enumerated().map { index, work in
            let since = eligibleSince(work, preparedAt: launch.preparedAt, at: now.wall)
            return PlannedTask(id: TaskID(launch: number, index: index), work: work, eligibleSince: since)
        }
        let plan = LaunchPlan(
            number: number,
            plugin: entry,
            lane: launch.lane,
            cause: cause(of: batch, launch.plugin),
            tasks: tasks,
            budget: budget(of: batch, for: entry.identifier, at: now),
            process: process,
            startedAt: now.wall
        )
        var start = ScheduledLaunch.Start(
            plan: plan,
            tasks: tasks.map { Execution.Task(id: $0.id, work: $0.work) },
            conditions: conditions
        )
        (start.end, start.failure) = (confined?.end, confined?.failure)
        launches.update(number) { [start] in $0.phase = .starting(start) }
        let change = inFlight.nextChange()
        noteStart(ofAlertsIn: batch)
        for work in batch {
            guard let identifier = work.identifier else { continue }
            plugins[launch.plugin].requests.begin(.removes(work.number), about: identifier, as: change)
            launches.begin(identifier, in: number)
        }
        stage(.launchStart(number, change), [.startLaunch(plan), .journal(.launched(plan))])
        if confined == nil { emit(.confineRunner(number, entry, launch.lane)) }
    }

    private func cause(of batch: [PendingWork], _ plugin: PluginIdentifier) -> LaunchCause {
        let requests = plugins[plugin].requests
        if batch.contains(where: { $0.identifier.map(requests.isUserRequested) ?? false }) { return .user }
        if batch.contains(where: \.retry.wasInterrupted) { return .relaunch }
        switch batch.first?.kind {
        case .event: return .event
        case .continued: return .user
        case .refresh, .processing, .healthResearch, .push, .transfer, nil: return .due
        }
    }

    /// The budget of a batch, shared by its tasks: the largest budget of a single task (C7).
    private func budget(of batch: [PendingWork], for plugin: PluginIdentifier, at now: Moment) -> LaunchBudget {
        let policy = plugins[plugin].policy
        let budgets = policy.budgets ?? configuration.budgets
        return LaunchBudget(
            total: Self.alertBudget(of: batch, budgets[.event]) ?? batch.compactMap { budgets[$0.kind] }.max(),
            gracePeriod: policy.gracePeriod ?? configuration.gracePeriod,
            entryLimit: configuration.stallLimit,
            startingAt: now.monotonic
        )
    }

    /// Runs a launch that is on disk: the requests of its batch are no longer pending (C1), and its budget starts now.
    mutating func sendPlan(of number: LaunchNumber, _ change: ChangeNumber, at now: Moment) {
        guard let launch = launches.find(number), case .starting(let start) = launch.phase else { return }
        let plugin = launch.plugin
        for work in start.plan.tasks.map(\.work) {
            switch work {
            case .request(let request):
                remove(request.request.identifier, request.number, of: plugin)
                plugins[plugin].requests.end(change, about: request.request.identifier)
            case .event(let event): remove(event: event.number, of: plugin)
            }
        }
        var plan = start.plan.starting(at: now.monotonic)
        plan.transferTerms = terms(ofTransfersIn: plan)
        plan.files = files(ofFunctionsIn: plan)
        let execution = Execution(start, plan: plan)
        launches.update(number) { $0.phase = .running(execution) }
        // The requests are now tasks of the launch; if they return, they can get another launch.
        plugins[plugin].releaseReservation(of: number)
        if let end = start.end {
            launches.execute(number) {
                let message = "the runner \(end.termination.text) before its plan was sent; see the host's log"
                $0.kill = .hostFailed(start.failure ?? message)
            }
            conclude(number, end, at: now)
        } else if isStopping {
            kill(number, because: .hostStopping)
        } else if let failure = start.failure {
            kill(number, because: .hostFailed(failure))
        } else {
            for task in plan.tasks { takeCursor(for: task.work) }
            emit(.sendPlan(plan))
            toEnforceAnew.insert(number)
            if launch.lane == .transfer { shareTransferLane(of: plugin) }
            consider(plugin, launch.lane, at: now)
        }
        resumeOperations(of: plugin, at: now)
    }

    mutating func launchNotRecorded(
        _ number: LaunchNumber,
        _ change: ChangeNumber,
        because message: String,
        at now: Moment
    ) {
        emit(.dismissRunner(number))
        guard let launch = launches.find(number), case .starting(let start) = launch.phase else { return }
        noteFailedStart(ofAlertsIn: start.plan.tasks.map(\.work), at: now)
        for work in start.plan.tasks.map(\.work) {
            guard let identifier = work.identifier else { continue }
            plugins[launch.plugin].requests.end(change, about: identifier)
            launches.end(identifier, in: number)
        }
        giveUp(number, because: "the start of launch \(number) could not be recorded: \(message)", at: now)
        resumeOperations(of: launch.plugin, at: now)
    }

    mutating func runnerUnavailable(_ number: LaunchNumber, because message: String, at now: Moment) {
        // A later failure is ignored: the commit of the launch is in flight and alone decides whether the launch
        // exists.
        guard launches.find(number)?.isPreparing == true else { return }
        giveUp(number, because: message, at: now)
    }

    /// Drops a launch that is not on disk, because its runner or its commit failed. The plugin is launched again after
    /// a delay.
    mutating func giveUp(_ number: LaunchNumber, because message: String, at now: Moment) {
        guard let launch = launches.find(number), launch.isUnderWay else { return }
        delayLaunches(of: launch.plugin, because: message, at: now)
        drop(launch, at: now)
    }

    /// Delays the launches of a plugin after a failure of the host. Each consecutive failure doubles the delay, up to
    /// `longestRunnerDelay`.
    mutating func delayLaunches(of plugin: PluginIdentifier, because message: String, at now: Moment) {
        let failures = (plugins[plugin].runnerRetry?.failures ?? 0) + 1
        let delay = min(
            configuration.hostRetryDelay * (1 << min(failures - 1, 20)),
            max(configuration.hostRetryDelay, Self.longestRunnerDelay)
        )
        plugins[plugin].runnerRetry = PluginState.RunnerRetry(
            at: now.monotonic + delay,
            message: message,
            failures: failures
        )
    }

    /// Ends the delay that `delayLaunches` set, because a launch ran without a failure of the host, and evaluates the
    /// plugin's waiting work.
    mutating func endRunnerRetry(of plugin: PluginIdentifier) {
        if plugins[plugin].runnerRetry == nil { return }
        plugins[plugin].runnerRetry = nil
        for lane in Lane.allCases { backlog.add(.consider(plugin, lane)) }
    }

    private static let longestRunnerDelay: Duration = .seconds(5 * 60)

    /// Removes a launch that never ran.
    private mutating func drop(_ launch: ScheduledLaunch, at now: Moment) {
        endWork(of: launch.plugin, in: launch.lane)
        release(launch.number, at: now)
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
            budget: budget.starting(at: start),
            process: process,
            startedAt: startedAt
        )
    }
}

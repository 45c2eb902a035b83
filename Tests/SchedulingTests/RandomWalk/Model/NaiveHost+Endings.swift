// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// The end of a launch and its effect on each of its tasks (C3, C7).
extension NaiveHost {
    func finished(_ number: LaunchNumber) {
        guard let launch = launches[number] else { return complain("launch \(number) finishes and never began") }
        if !launch.undone.isEmpty { complain("launch \(number) finishes with \(launch.undone.count) tasks left") }
        if !launch.assertions.isEmpty { complain("launch \(number) finishes in spite of an assertion") }
        if launch.entry != .returned { complain("launch \(number) finishes in its entry") }
        launches[number]?.stopKillTime = now.monotonic + gracePeriod(of: launch) + .seconds(1)
        capacityChangedHands = true
    }

    /// Notes a kill and complains about one before the end of the grace period.
    func killed(_ number: LaunchNumber, after event: SchedulerEvent) {
        guard let launch = launches[number], launch.kill == nil else {
            return complain("launch \(number) is killed twice")
        }
        let kill = reason(forKilling: launch, after: event)
        launches[number]?.kill = kill
        let isInTime: Bool =
            switch kill {
            case .entryOverran: launch.entryDeadline.map { $0 + gracePeriod(of: launch) <= now.monotonic } ?? false
            case .lingered:
                // The launch thread may kill a process that has just begun to exit.
                event == .killTimePassed(number) || launch.stopKillTime.map { $0 <= now.monotonic } ?? false
            case .overran: (limits(of: launch).min().map { $0 <= now.monotonic }) ?? false
            case .hostStopping: isStopping
            case .entryFailed: launch.entry == .failed || launch.entry == .notLoaded
            case .hostFailed, .killTimePassed: true
            }
        if !isInTime { complain("launch \(number) is killed too early (\(kill))") }
    }

    private func reason(forKilling launch: SeenLaunch, after event: SchedulerEvent) -> SeenLaunch.Kill {
        switch event {
        case .launchFailedByHost(launch.number, _): return .hostFailed
        case .killTimePassed(launch.number): return reason(forKillOf: launch)
        case .entered(launch.number, _, _, _, _), .loadFailed(launch.number, _):
            if launch.entry != .returned { return .entryFailed }
        default: break
        }
        if !launch.isSent { return .hostStopping }
        if launch.stopKillTime != nil { return .lingered }
        if launch.entry == .running { return event == .stopRequested ? .hostStopping : .entryOverran }
        return .overran
    }

    /// The reason of a kill by the launch thread. A kill of a launch that is within its limits counts as the host's
    /// fault.
    private func reason(forKillOf launch: SeenLaunch) -> SeenLaunch.Kill {
        if launch.stopKillTime != nil { return .lingered }
        if launch.entry == .running {
            let end = launch.entryDeadline.map { $0 + gracePeriod(of: launch) }
            return end.map { $0 <= now.monotonic } ?? false ? .entryOverran : .killTimePassed
        }
        return limits(of: launch).min().map { $0 <= now.monotonic } ?? false ? .overran : .killTimePassed
    }

    /// The kill times of a launch: for its expired tasks, for its deadline, and for its expired assertions.
    func limits(of launch: SeenLaunch) -> [MonotonicTime] {
        var limits = launch.undone.compactMap { launch.tasks[$0].expiration?.killTime }
        if let expiration = launch.assertionsKillTime, !launch.assertions.isEmpty { limits.append(expiration) }
        let isBound = launch.undone.contains { !launch.tasks[$0].isContinued }
        if isBound, let deadline = launch.plan.budget.deadline { limits.append(deadline + gracePeriod(of: launch)) }
        return limits
    }

    // MARK: Judgement

    /// Judges each ended launch, once no commit in flight decides about its tasks.
    func concludeWhatIsDecided() {
        for (number, launch) in launches where launch.end != nil && !launch.isConcluded {
            let isOpen = underWay.values.joined().contains { change in
                switch change {
                case .startTask(number, _), .forbidRequeue(number, _): true
                case .startLaunch(let plan): plan.number == number
                default: false
                }
            }
            if !isOpen { conclude(launch) }
        }
    }

    private func conclude(_ launch: SeenLaunch) {
        let number = launch.number
        launches[number]?.isConcluded = true
        let left = launch.undone.map { launch.tasks[$0] }
        let isShutdown =
            left.allSatisfy { $0.expiration?.reason == .hostShutdown }
            && (launch.assertions.isEmpty || isStopping)
        launches[number]?.isOverrun = launch.kill == .overran && !isShutdown
        for index in launch.undone {
            let task = launch.tasks[index]
            let isCrash = launch.isEndOfItsOwn && launch.entry == .returned
            let required = end(
                of: task,
                in: launch,
                without: fate(of: task, in: launch),
                isCharged: isCharged(task, in: launch, isCrash: isCrash),
                isCrash: isCrash
            )
            launches[number]?.tasks[index].end(as: required)
        }
        let isHostsFault = launch.kill == .hostFailed || launch.kill == .killTimePassed || !launch.isSent
        if isHostsFault, !isStopping { noteTrouble(of: launch.plugin) }
        if !isHostsFault, launch.kill != .hostStopping, launch.kill != .overran || !isShutdown {
            noteSuccess(of: launch.plugin)
        }
        guard launch.lane == .background else { return }
        let used = now.monotonic - launch.plan.budget.start
        let outcome: LaunchOutcome =
            launch.kill == .overran && !isShutdown
            ? .overran : isHostsFault ? .lost : isStopping ? .interrupted : .completed
        remember(
            PastLaunch(
                plugin: launch.plugin,
                lane: .background,
                cause: launch.plan.cause,
                outcome: outcome,
                endedAt: now.wall,
                used: used
            )
        )
        rest(launch.plugin)
    }

    private func fate(of task: SeenTask, in launch: SeenLaunch) -> SeenTask.Fate {
        let way = wayOut(of: launch)
        // A delivered expiration consumes the task, whatever ends the process, except at a shutdown of the host.
        if let expiration = task.expiration, expiration.reason != .hostShutdown {
            if launch.isKilledForOverrun { return .over(task.hasHandler ? .overran : .expired) }
            return .over(way)
        }
        if task.expiration == nil, task.isToStop { return .over(way) }
        var retry = task.work.retry
        retry.wasInterrupted = true
        if task.expiration != nil { return task.wasCancelled ? .over(.interrupted) : .back(.interrupted, retry) }
        let isCrash = launch.isEndOfItsOwn && launch.entry == .returned
        if isCrash { retry.runsAlone = true }
        guard isCharged(task, in: launch, isCrash: isCrash) else {
            return task.wasCancelled ? .over(.interrupted) : .back(.interrupted, retry)
        }
        retry.attempts += 1
        if retry.attempts >= configuration.attempts { return .over(.abandoned) }
        retry.notBefore = now.wall + configuration.retryDelay * (1 << (retry.attempts - 1))
        return task.wasCancelled ? .over(way) : .back(way, retry)
    }

    /// Whether the end of the launch charges the task. A failed entry charges every task of the launch. A crash charges
    /// the only task, or the task whose thread received the signal.
    private func isCharged(_ task: SeenTask, in launch: SeenLaunch, isCrash: Bool) -> Bool {
        switch launch.kill {
        case .hostStopping, .hostFailed, .killTimePassed, .overran, .lingered: return false
        case .entryFailed, .entryOverran: return true
        case nil: break
        }
        if !launch.isSent { return false }
        if launch.entry != .returned { return true }
        guard isCrash else { return false }
        if case .signaled? = launch.end?.termination, let culprit = launch.end?.words?.task,
            launch.undone.contains(where: { launch.tasks[$0].id == culprit })
        {
            return culprit == task.id
        }
        return launch.tasks.count == 1
    }

    /// The outcome that the end of the process gives to an unfinished task.
    private func wayOut(of launch: SeenLaunch) -> TaskOutcome {
        switch launch.kill {
        case .hostStopping, .hostFailed, .killTimePassed, .overran, .lingered: return .interrupted
        case .entryFailed where launch.entry == .notLoaded: return .loadFailed
        case .entryFailed, .entryOverran: return .entryFailed
        case nil: break
        }
        if !launch.isSent { return .interrupted }
        if launch.entry != .returned { return .entryFailed }
        switch launch.end?.termination {
        case .signaled: return .crashed
        case .exited: return .exited
        case .outOfMemory: return .killedForMemory
        case nil: return .interrupted
        }
    }

    /// The required end of a task that ran when its host was lost. The task may be the cause: from the second loss on
    /// it runs alone and with a delay, and at the fifth loss it is abandoned.
    private func fateAfterLoss(of work: PendingWork) -> SeenTask.Fate {
        var retry = work.retry
        retry.wasInterrupted = true
        retry.hostLosses += 1
        if retry.hostLosses >= 5 { return .over(.abandoned) }
        if retry.hostLosses >= 2 {
            retry.runsAlone = true
            retry.notBefore = now.wall + configuration.retryDelay * (1 << (retry.hostLosses - 2))
        }
        return .back(.interrupted, retry)
    }

    /// Expects that the unfinished tasks which a previous host left in the ledger are requeued without a charge, except
    /// cancelled ones and those that are abandoned at their fifth loss.
    func leaveBehind(_ number: LaunchNumber) {
        guard let left = host.ledger.snapshot.running.first(where: { $0.number == number }) else { return }
        launches[number]?.lane = left.lane
        launches[number]?.isConcluded = true
        launches[number]?.isOverrun = false
        // The new host does not know that the launch was stopping.
        launches[number]?.stopKillTime = nil
        launches[number]?.tasks = left.unfinished.map { work in
            var task = SeenTask(id: TaskID(launch: number, index: 0), work: work)
            let ledger = host.ledger
            let others = ledger.requests.map(PendingWork.request) + ledger.snapshot.running.flatMap(\.unfinished)
            task.isSucceeded = others.contains {
                $0.plugin == work.plugin && $0.identifier == work.identifier && $0.number > work.number
                    && work.identifier != nil
            }
            if left.mayNotBeRequeued.contains(work.number) {
                task.fate = .over(.interrupted)
            } else if left.moved.contains(work.number) {
                task.fate = fateAfterLossOfMoved(work, isSucceeded: task.isSucceeded)
            } else {
                task.fate = fateAfterLoss(of: work)
            }
            return task
        }
    }
}

extension SeenLaunch {
    fileprivate var isKilledForOverrun: Bool {
        kill == .overran && undone.contains { tasks[$0].expiration?.reason != .hostShutdown }
    }

    /// Whether the plan was sent and the host has not killed the process. The host does not cause the end of such a
    /// process.
    fileprivate var isEndOfItsOwn: Bool { kill == nil && isSent }
}

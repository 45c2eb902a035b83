// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Expirations, their times and their reasons: statements 57 to 60, 66, 70, 77 and 78, C6, C7, C8.
extension NaiveHost {
    /// Applies new conditions. Expects that every task expires that requires a lost condition and whose launch has
    /// returned from entry.
    func change(to new: Conditions) {
        let old = conditions
        conditions = new
        if !old.hasNetwork, new.hasNetwork { noteStartupWave(isNetwork: true) }
        for number in launches.keys where launches[number]?.runs == true { expectLosses(in: number, since: old) }
    }

    func expectLosses(in number: LaunchNumber, since old: Conditions) {
        guard let launch = launches[number] else { return }
        for task in launch.tasks where task.goesOn {
            if let reason = loss(of: task.work, since: old, in: launch) { expected[task.id] = reason }
        }
    }

    /// Begins a start-up wave, unless one of the same kind still lasts: an unstable link must not delay requests
    /// without end.
    func noteStartupWave(isNetwork: Bool) {
        let stagger = configuration.policies.stagger
        let isRunning = startupWaves.dropFirst().contains {
            $0.isNetwork == isNetwork && now.monotonic - $0.at < stagger
        }
        if !isRunning { startupWaves.append((now.monotonic, isNetwork)) }
    }

    /// The expiration reason of a task under the changed conditions; nil if it continues. A loss of idleness counts
    /// only for a launch that began on an idle machine.
    private func loss(of work: PendingWork, since old: Conditions, in launch: SeenLaunch) -> ExpirationReason? {
        guard case .request(let pending) = work else { return nil }
        let request = pending.request
        if request.requiresExternalPower, old.isOnExternalPower, !conditions.isOnExternalPower {
            return .externalPowerLost
        }
        if request.requiresNetwork, old.hasNetwork, !conditions.hasNetwork { return .networkLost }
        if request.kind.isProcessing, launch.conditionsAtClose.isIdle, old.isIdle, !conditions.isIdle, !isOff(.idle) {
            return .notIdle
        }
        if request.kind == .healthResearch, request.protection == .complete,
            old.containerLocks[pending.plugin] != true, conditions.containerLocks[pending.plugin] == true
        {
            return .containerLocked
        }
        return nil
    }

    func expired(_ number: LaunchNumber, _ ids: [TaskID], because reason: ExpirationReason, by event: SchedulerEvent) {
        guard let launch = launches[number], launch.runs else {
            return complain("launch \(number) is expired (\(reason.name)), but does not run")
        }
        for id in ids {
            guard let index = launch.index(of: id), launch.tasks[index].goesOn else {
                complain("task \(id) is expired (\(reason.name)) for the second time, or after its end")
                continue
            }
            let task = launch.tasks[index]
            if !isRight(reason, for: task, in: launch, by: event) { complain("task \(id) expired with \(reason.name)") }
            let isAtDeadline = reason == .budget && !isSimulated(task, by: event)
            let killTime = isAtDeadline ? launch.plan.budget.killTime : now.monotonic + gracePeriod(of: launch)
            launches[number]?.tasks[index].expiration = (reason, killTime ?? now.monotonic)
            if expected[id] == reason { expected[id] = nil }
            // A task that expired for another reason in the same moment does not expire again.
            if reason == .stoppedByUser || reason == .memoryPressure || reason == .budget { expected[id] = nil }
        }
        if reason == .memoryPressure { lastRelief = now.monotonic }
    }

    private func isRight(
        _ reason: ExpirationReason,
        for task: SeenTask,
        in launch: SeenLaunch,
        by event: SchedulerEvent
    ) -> Bool {
        switch reason {
        case .budget:
            isSimulated(task, by: event)
                || !task.isContinued && launch.plan.budget.deadline.map { $0 <= now.monotonic } ?? false
        case .noProgress: task.isContinued && task.stallsAt.map { $0 <= now.monotonic } ?? false
        case .memoryPressure: isLeastProgressed(task)
        case .stoppedByUser:
            task.isToStop || stoppedLaunches.contains(launch.plan.number)
                || task.work.identifier.map { stopped.contains($0) } ?? false
        case .hostShutdown: isStopping
        case .externalPowerLost, .networkLost, .notIdle, .containerLocked: expected[task.id] == reason
        // The walk has no feeder.
        case .leaseLost: false
        }
    }

    /// Whether the event simulates the expiration of the task.
    private func isSimulated(_ task: SeenTask, by event: SchedulerEvent) -> Bool {
        guard case .expirationSimulated(let identifier, _) = event else { return false }
        return task.work.identifier == identifier
    }

    /// Whether the task is the next to expire under memory pressure. One task expires per interval: the least
    /// progressed, and of equal ones the younger.
    private func isLeastProgressed(_ task: SeenTask) -> Bool {
        guard conditions.isMemoryLow, task.isContinued else { return false }
        if let last = lastRelief, now.monotonic - last < configuration.pressureInterval { return false }
        let running = launches.values.filter(\.runs).flatMap(\.tasks).filter { $0.isContinued && $0.goesOn }
        let far = { (task: SeenTask) in task.progress?.fraction ?? 0 }
        return running.allSatisfy { other in
            far(other) > far(task) || far(other) == far(task) && other.work.number <= task.work.number
        }
    }

    func assertionsExpired(_ number: LaunchNumber, because reason: ExpirationReason, by event: SchedulerEvent) {
        guard let launch = launches[number] else { return complain("launch \(number) has no assertions to expire") }
        if launch.assertionsKillTime != nil { complain("the assertions of launch \(number) expired twice") }
        if launch.undone.contains(where: { launch.tasks[$0].goesOn }) {
            complain("the assertions of launch \(number) expired while a task runs")
        }
        let expiration = launch.undone.compactMap { launch.tasks[$0].expiration }.filter { $0.reason == reason }.map(
            \.killTime
        ).max()
        var isSimulation = false
        if case .expirationSimulated = event { isSimulation = true }
        let deadline = launch.plan.budget.killTime.flatMap { time in
            time > now.monotonic && reason == .budget && !isSimulation ? time : nil
        }
        launches[number]?.assertionsKillTime = expiration ?? deadline ?? now.monotonic + gracePeriod(of: launch)
    }
}

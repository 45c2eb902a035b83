// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Continued processing: into the launch that submitted it or one of its own, and no longer than it progresses (C8).
extension Scheduler {
    /// Tasks of one launch at the most, over its whole life; what comes later gets a launch of its own.
    private static let mostTasks = 1_000

    mutating func considerContinued(_ work: PendingWork, at now: Moment) {
        guard let state = plugins[work.plugin], let identifier = work.identifier else { return }
        let (standing, occupancy) = (standing(of: state, in: .continued), occupancy(of: .continued))
        if !reasons(against: work, of: state, standing, occupancy, at: now).isEmpty {
            return arrange(work, in: .continued, at: now)
        }
        if let origin = takingLaunch(for: work, of: state) { return deliver(work, identifier, to: origin, at: now) }
        let number = prepareLaunch(of: work.plugin, in: .continued)
        plugins[work.plugin]?.reserved[work.number] = number
    }

    /// The launch that submitted it, while that runs, is not at its end and has a handler for it.
    private func takingLaunch(for work: PendingWork, of state: PluginState) -> LaunchNumber? {
        guard let number = state.origins[work.number], isListening(to: number), let launch = launches[number],
            launch.plugin == work.plugin, launch.entry == .returned, launch.assertions.expiration == nil,
            launch.tasksHanded < Self.mostTasks, let identifier = work.identifier,
            launch.registered.contains(where: { $0.covers(identifier) })
        else { return nil }
        return number
    }

    /// The launch that has to get further before the request can run: its own, which is being prepared, or the one that
    /// submitted it from entry, and may take it afterwards.
    func awaitedLaunch(of work: PendingWork, in state: PluginState) -> LaunchNumber? {
        if let own = state.reserved[work.number] { return own }
        guard let origin = state.origins[work.number], isListening(to: origin), launches[origin]?.plugin == work.plugin,
            launches[origin]?.entry == .running
        else { return nil }
        return origin
    }

    /// One more task of a continued launch takes no room of its own.
    func needsRoom(_ work: PendingWork, of state: PluginState) -> Bool {
        takingLaunch(for: work, of: state).map { launches[$0]?.lane != .continued } ?? true
    }

    private mutating func deliver(
        _ work: PendingWork,
        _ identifier: TaskIdentifier,
        to number: LaunchNumber,
        at now: Moment
    ) {
        guard let launch = launches[number] else { return }
        let task = PlannedTask(id: TaskID(launch: number, index: launch.tasksHanded), work: work)
        launches[number]?.tasksHanded += 1
        launches[number]?.arriving.append(task)
        launches[number]?.undecided += 1
        plugins[work.plugin]?.expected.remove(identifier, number: work.number)
        plugins[work.plugin]?.recording[identifier, default: 0] += 1
        let changes: [LedgerChange] = [.startTask(number, task)]
        let move: [LedgerChange] = launch.lane == .continued ? [] : [.moveLaunch(number, to: .continued)]
        stage(.delivery(number, task), changes + move + endWait(of: work, at: now))
    }

    /// On disk: it is the launch's now, whatever has become of that meanwhile.
    mutating func delivered(_ task: PlannedTask, to number: LaunchNumber, at now: Moment) {
        let work = task.work
        if let identifier = work.identifier {
            forgetRecording(identifier, of: work.plugin)
            leave(identifier, work.number, of: work.plugin)
        }
        launches[number]?.arriving.removeAll { $0.id == task.id }
        launches[number]?.undecided -= 1
        launches[number]?.tasks.append(LaunchState.Task(id: task.id, work: work))
        guard let launch = launches[number], isListening(to: number) else {
            return decideAnew(number, at: now)
        }
        let index = launch.tasks.count - 1
        launches[number]?.assertionDeadline = nil
        launches[number]?.tasks[index].stallsAt = now.monotonic + configuration.stallLimit
        emit(.deliver(number, task))
        if isStopping {
            let killAt = now.monotonic + (launch.plan?.budget.grace ?? configuration.grace)
            expire(number, [index], because: .hostShutdown, killAt: killAt)
        }
        setAlarm(of: number)
        moveToContinuedLane(number, at: now)
        relievePressure(at: now)
    }

    mutating func notDelivered(_ task: PlannedTask, to number: LaunchNumber, because message: String, at now: Moment) {
        task.work.identifier.map { forgetRecording($0, of: task.work.plugin) }
        launches[number]?.arriving.removeAll { $0.id == task.id }
        launches[number]?.undecided -= 1
        expectAnew(task.work.plugin)
        plugins[task.work.plugin]?.runnerRetry = (
            now.monotonic + configuration.hostRetryDelay, "its launch could not be recorded: \(message)"
        )
        decideAnew(number, at: now)
        finishIfDone(number, at: now)
        consider(task.work.plugin, .continued, at: now)
    }

    /// It leaves its lane to the plugin's next launch; its other tasks keep their deadline.
    private mutating func moveToContinuedLane(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], launch.lane != .continued else { return }
        launches[number]?.lane = .continued
        endWork(of: launch.plugin, in: launch.lane)
        beginWork(of: launch.plugin, in: .continued)
        launchesInLane[.continued, default: 0] += 1
        if launch.lane == .background { rest(launch.plugin, at: now) }
        leaveLane(launch, at: now)
    }

    /// The process ended while a commit about it was under way: judged once its result is known.
    mutating func decideAnew(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], launch.undecided == 0, let end = launch.endedUndecided else { return }
        conclude(number, termination: end.termination, lastWords: end.lastWords, at: now)
    }

    // MARK: Progress

    /// What does not grow is no progress (statement 77).
    mutating func progressed(_ number: LaunchNumber, _ id: TaskID, _ progress: TaskProgress, at now: Moment) {
        // In entry nothing was delivered that could get anywhere, whatever a runner says.
        guard isListening(to: number), let launch = launches[number], launch.entry == .returned else { return }
        guard let index = launch.index(of: id), launch.tasks[index].isContinued else {
            return note(
                number,
                rule: "BGT-ABI-08",
                at: now,
                message:
                    "\(launch.plugin) reported progress of task \(id), which is no continued task of launch \(number);"
                    + " report that of the tasks that its handlers are given"
            )
        }
        guard launch.tasks[index].isGoingOn else { return }
        let old = launch.tasks[index].furthest
        launches[number]?.tasks[index].progress = progress
        // Going back and forth gets no further, however often it goes forth.
        guard progress.done > old.done || progress.fraction > old.fraction else { return }
        launches[number]?.tasks[index].furthest = (max(progress.done, old.done), max(progress.fraction, old.fraction))
        launches[number]?.tasks[index].stallsAt = now.monotonic + configuration.stallLimit
    }

    mutating func expireStalled(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], launch.entry == .returned else { return }
        let stalled = launch.tasks.indices.filter {
            launch.tasks[$0].isGoingOn && launch.tasks[$0].stallsAt.map { $0 <= now.monotonic } ?? false
        }
        let grace = launch.plan?.budget.grace ?? configuration.grace
        if !stalled.isEmpty { expire(number, stalled, because: .noProgress, killAt: now.monotonic + grace) }
    }

    // MARK: Memory pressure

    /// One at a time, the least progressed first, until the pressure is gone (statement 77).
    mutating func relievePressure(at now: Moment) {
        guard conditions.isMemoryLow, !isStopping else { return }
        if let next = pressureRelief, next > now.monotonic { return agenda.addOnce(.pressure, at: next) }
        let tasks = launches.values.filter { isListening(to: $0.number) && $0.entry == .returned }.flatMap { launch in
            launch.tasks.indices.filter { launch.tasks[$0].isContinued && launch.tasks[$0].isGoingOn }.map {
                (launch: launch.number, index: $0, task: launch.tasks[$0])
            }
        }
        guard
            let least = tasks.min(by: {
                let (left, right) = ($0.task.progress?.fraction ?? 0, $1.task.progress?.fraction ?? 0)
                return (left, $1.task.work.number.rawValue) < (right, $0.task.work.number.rawValue)
            })
        else { return }
        let grace = launches[least.launch]?.plan?.budget.grace ?? configuration.grace
        expire(least.launch, [least.index], because: .memoryPressure, killAt: now.monotonic + grace)
        let next = now.monotonic + configuration.pressureInterval
        pressureRelief = next
        agenda.addOnce(.pressure, at: next)
    }

    // MARK: A person's stop

    /// What runs is told to stop; a continued request that waits is given up.
    mutating func stopTask(_ identifier: TaskIdentifier, reply: ReplyToken, at now: Moment) {
        if isOnItsWay(identifier) { return waitingStops.append((identifier, reply)) }
        let task = runningTask(identifier)
        if let task, launches[task.launch]?.entry == .running {
            // In entry nothing was delivered yet that could be told.
            launches[task.launch]?.tasks[task.index].isToStop = true
            return emit(.answer(reply, .expiring(task.launch)))
        }
        if task == nil, let owner = holder(of: identifier),
            plugins[owner]?.expected[identifier]?.request.kind == .continued
        {
            return cancel(identifier, of: owner, reply: reply, at: now)
        }
        simulateExpiration(of: identifier, reply: reply, at: now)
    }

    /// After every commit: what was waited for may be known.
    mutating func resumeStops(at now: Moment) {
        if waitingStops.isEmpty { return }
        let waiting = waitingStops
        waitingStops = []
        for stop in waiting { stopTask(stop.identifier, reply: stop.reply, at: now) }
    }

    /// What was stopped while its plugin was still in entry.
    mutating func expireStopped(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number] else { return }
        let killAt = now.monotonic + (launch.plan?.budget.grace ?? configuration.grace)
        expire(
            number,
            launch.unfinished.filter { launch.tasks[$0].isToStop },
            because: .stoppedByPerson,
            killAt: killAt
        )
    }

    /// A commit under way decides whether it runs.
    private func isOnItsWay(_ identifier: TaskIdentifier) -> Bool {
        launches.values.contains { launch in
            launch.arriving.contains { $0.work.identifier == identifier }
                || launch.phase == .starting && launch.tasks.contains { $0.work.identifier == identifier }
        }
    }

    private func runningTask(_ identifier: TaskIdentifier) -> (launch: LaunchNumber, index: Int)? {
        for number in launches.keys.sorted() where isListening(to: number) {
            guard let launch = launches[number],
                let index = launch.unfinished.first(where: { launch.tasks[$0].work.identifier == identifier })
            else { continue }
            return (number, index)
        }
        return nil
    }
}

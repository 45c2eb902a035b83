// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// The modelled machine of a forecast. Runners are ready at once, commits succeed at once, each task succeeds after its
/// expected time or when it expires, and processes exit when requested.
final class ForecastWorld: ModelledHost {
    private let scenario: ForecastScenario
    private let isTimeOver: () -> Bool
    private var forecast: Forecast
    /// The index of each launch of the forecast.
    private var places: [LaunchNumber: Int] = [:]
    /// The budget of each launch that has not ended.
    private var budgets: [LaunchNumber: LaunchBudget] = [:]
    /// The unfinished tasks of each launch that has not ended.
    private var unfinished: [LaunchNumber: [TaskID: PendingWork]] = [:]
    private var running: Set<SubmissionNumber> = []
    private var steps = 0

    init(_ scenario: ForecastScenario, isTimeOver: @escaping () -> Bool) {
        self.scenario = scenario
        self.isTimeOver = isTimeOver
        let now = scenario.seed.now
        forecast = Forecast(now: now, computedUntil: now)
        let scheduler = Scheduler(
            forecasting: scenario.seed,
            scenario.snapshot,
            scenario.work,
            catalogue: scenario.catalogue
        )
        super.init(scheduler, VirtualClock(at: now))
        for launch in self.scheduler.runningLaunches { resume(launch) }
    }

    // MARK: Time

    func play() {
        send(.timerFired)
        actOnOccurrences()
        while let pause = untilNextDecision, clock.now.wall + pause < scenario.until, mayContinue() {
            clock.advance(by: pause)
            actOnOccurrences()
        }
        if forecast.cut == nil, clock.now.wall < scenario.until {
            clock.advance(by: scenario.until - clock.now.wall)
        }
    }

    override func mayContinue() -> Bool {
        if forecast.cut != nil { return false }
        steps += 1
        if steps > scenario.mostSteps {
            forecast.cut = .steps
        } else if isTimeOver() {
            forecast.cut = .processorTime
        }
        return forecast.cut == nil
    }

    /// All chores of the first instant are done in it: no real time passes between them.
    override var timerRepetitions: Int { scenario.mostSteps }

    var finished: Forecast {
        var finished = forecast
        finished.computedUntil = clock.now
        (finished.waiting, finished.waitingCount) = scheduler.waiting(
            of: scenario.plugin,
            limit: scenario.limit,
            at: clock.now
        )
        return finished
    }

    // MARK: Launches

    /// Continues a launch that runs at the begin of the forecast.
    private func resume(_ launch: Scheduler.RunningLaunch) {
        let plan = launch.plan
        places[plan.number] = forecast.launches.count
        forecast.launches.append(
            Forecast.Launch(
                number: plan.number,
                isRunning: true,
                plugin: plan.plugin.identifier,
                lane: launch.lane,
                begin: plan.startedAt,
                tasks: []
            )
        )
        budgets[plan.number] = plan.budget
        running.formUnion(launch.unfinished.map(\.work.number))
        later(by: .zero, plan.number, .entryReturns)
        for task in launch.unfinished { begin(task, in: plan.number, since: plan.budget.start) }
        // The process of a launch without a task is about to exit, or an assertion is open that the model lacks.
        if launch.unfinished.isEmpty { later(by: .milliseconds(1), plan.number, .ends(.exited(code: 0))) }
    }

    private func begin(_ plan: LaunchPlan) {
        places[plan.number] = forecast.launches.count
        forecast.launches.append(
            Forecast.Launch(
                number: plan.number,
                isRunning: false,
                plugin: plan.plugin.identifier,
                lane: plan.lane,
                begin: clock.now.wall,
                tasks: []
            )
        )
        budgets[plan.number] = plan.budget
        post(entry(of: plan))
        for task in plan.tasks { begin(task, in: plan.number, since: clock.now.monotonic) }
    }

    private func entry(of plan: LaunchPlan) -> SchedulerEvent {
        let isMain = plan.plugin.role == .main
        let registered = isMain ? plan.plugin.permitted : []
        return .entered(plan.number, status: 0, registered: registered, offersReceive: true)
    }

    /// Adds the completion of a task after its expected time.
    private func begin(_ task: PlannedTask, in number: LaunchNumber, since start: MonotonicTime) {
        guard let place = places[number] else { return }
        let budget = task.work.kind == .continued ? nil : budgets[number]?.total
        let (takes, basis) = scenario.times.time(of: task.work, budget: budget)
        let listed = Forecast.Task(work: task.work, takes: takes, basis: basis, origin: origin(of: task.work))
        forecast.launches[place].tasks.append(listed)
        unfinished[number, default: [:]][task.id] = task.work
        let passed = clock.now.monotonic - start
        later(by: max(.milliseconds(1), takes - passed), number, .completes(task.id, .success))
        if budget == nil { later(by: .zero, number, .progresses(task.id)) }
    }

    private func origin(of work: PendingWork) -> Forecast.Origin {
        if running.contains(work.number) { return .running }
        if work.number <= scenario.snapshot.lastSubmission { return .pending }
        if case .request(let request) = work, request.submitter == .schedule { return .schedule }
        return .host
    }

    override func occur(_ occurrence: Occurrence) {
        guard let number = occurrence.launch, let place = places[number], forecast.launches[place].end == nil
        else { return }
        switch occurrence.what {
        case .entryReturns:
            if let plan = scheduler.runningLaunches.first(where: { $0.plan.number == number })?.plan {
                send(entry(of: plan))
            }
        case .completes(let id, let outcome): complete(id, in: number, as: outcome)
        case .progresses(let id): progress(id, in: number)
        case .ends(let termination):
            forecast.launches[place].end = clock.now.wall
            (budgets[number], unfinished[number]) = (nil, nil)
            send(.runnerEnded(number, termination, nil))
        case .runnerReady, .crashes, .pushArrives: break
        }
    }

    private func complete(_ id: TaskID, in number: LaunchNumber, as outcome: CompletionOutcome) {
        guard let work = unfinished[number]?.removeValue(forKey: id) else { return }
        if work.kind == .transfer {
            let end = TransferEnd(result: outcome == .success ? .finished : .transient, bytes: 1, total: 1)
            send(.transferEnded(number, id, end))
        }
        send(.completed(number, id, outcome))
    }

    /// Reports the progress of a task without a budget, which would expire without it.
    private func progress(_ id: TaskID, in number: LaunchNumber) {
        guard unfinished[number]?[id] != nil, let budget = budgets[number] else { return }
        let done = (clock.now.monotonic - budget.start).wholeNanoseconds
        if let progress = TaskProgress(done: max(0, done), total: .max) { send(.progressed(number, id, progress)) }
        later(by: scenario.seed.configuration.stallLimit / 3, number, .progresses(id))
    }

    // MARK: Actions of the scheduler

    override func perform(_ action: SchedulerAction) {
        switch action {
        case .commit(let ticket, _): post(.committed(ticket))
        case .takeRunner(let launch, _): post(.runnerReady(launch, process(of: launch)))
        case .sendPlan(let plan): begin(plan)
        case .deliver(let launch, let task): begin(task, in: launch, since: clock.now.monotonic)
        case .expire(let launch, let tasks, _):
            for task in tasks { later(by: .milliseconds(1), launch, .completes(task, .failure)) }
        case .stop(let launch): later(by: .zero, launch, .ends(.exited(code: 0)))
        case .kill(let launch): later(by: .zero, launch, .ends(.signaled(9)))
        case .wake(let monotonic, let wall): wake = (monotonic, wall)
        case .load(let plugin): post(.loaded(PluginWork(plugin: plugin)))
        case .answer, .dismissRunner, .confineRunner, .discardContainer, .yieldCursor, .expireAssertions,
            .sweepTransfers, .setKillTime, .watch, .stopped:
            break
        }
    }

    private func process(of launch: LaunchNumber) -> RunnerProcess {
        RunnerProcess(
            pid: Int32(truncatingIfNeeded: launch.rawValue),
            startTime: UInt64(bitPattern: launch.rawValue),
            boot: clock.now.boot,
            controlGroup: nil
        )
    }
}

extension Scheduler {
    /// The first items of the waiting work, and their whole number.
    fileprivate func waiting(
        of plugin: PluginIdentifier?,
        limit: Int,
        at now: Moment
    ) -> (items: [WaitingPage.Item], count: Int) {
        var items: [WaitingPage.Item] = []
        var cursor: WorkCursor?
        repeat {
            let page = waitingPage(
                after: cursor,
                limit: limit - items.count,
                matching: WorkFilter(plugin: plugin),
                at: now
            )
            items += page.items
            cursor = page.next
        } while cursor != nil && items.count < limit
        let count = plugin.flatMap(summary(of:)).map { $0.pendingCount + $0.eventCount }
        return (items, count ?? (plugin == nil ? pendingCount + waitingEventCount : items.count))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HeapModule
import Scheduling
import TaskModel

/// A simulated machine that replaces the host's services, driven by a trace and a seed. It runs the same `Scheduler` as
/// a host, sends it events and performs its actions. It makes no decisions about plugins.
final class ReplayWorld {
    let scenario: ReplayScenario
    let trace: UnfoldedTrace
    let tasks: [TaskIdentifier: ModelTask]
    let plugins: [PluginIdentifier: ModelPlugin]
    let extensions: [PluginIdentifier: ModelExtension]

    private(set) var clock: VirtualClock
    private(set) var scheduler: Scheduler
    private(set) var record: ReplayRecord
    private(set) var conditions: Conditions

    /// Random generators by name. Each name has a generator of its own, so that a changed policy does not alter the
    /// values drawn for other names.
    var chances: [String: SeededGenerator] = [:]
    var launches: [LaunchNumber: PlayedLaunch] = [:]
    var lastReply: UInt64 = 0
    /// The work behind the cursors of tasks, as run time.
    var left: [TaskIdentifier: Duration] = [:]

    private var occurrences = Heap<Occurrence>()
    private var lastOrder = 0
    private var steps: ArraySlice<TraceStep>
    private var wake: (monotonic: MonotonicTime?, wall: WallTime?) = (nil, nil)
    private var inbox: [SchedulerEvent] = []
    private var isWorking = false

    init(_ scenario: ReplayScenario) {
        self.scenario = scenario
        trace = UnfoldedTrace(
            scenario.trace,
            over: scenario.period,
            seed: scenario.seed,
            plugins: scenario.population.plugins.map(\.identifier)
        )
        steps = trace.steps[...]
        conditions = trace.start
        clock = VirtualClock(at: scenario.period.lowerBound)
        // A machine that is suspended at the start of the replay starts its host when it resumes.
        if let sleep = trace.suspended.spans.first, sleep.lowerBound <= scenario.period.lowerBound {
            clock.sleep(until: sleep.upperBound)
            steps = steps.drop { $0.at <= sleep.upperBound }
            conditions = trace.conditions(at: sleep.upperBound)
        }
        let models = scenario.population.plugins
        plugins = Dictionary(models.map { ($0.identifier, $0) }) { first, _ in first }
        tasks = Dictionary(models.flatMap(\.tasks).map { ($0.identifier, $0) }) { first, _ in first }
        extensions = Dictionary(models.flatMap(\.extensions).map { ($0.identifier, $0) }) { first, _ in first }
        record = ReplayRecord(scenario, trace)
        scheduler = Scheduler(
            configuration: scenario.configuration,
            conditions: conditions,
            snapshot: LedgerSnapshot(uses: scenario.uses),
            jitterSeed: scenario.seed,
            at: clock.now
        )
        send(.catalogued(CatalogueChange(to: Catalogue(scenario.population.entries))))
        awaitFirstPushes()
    }

    var finishedRecord: ReplayRecord {
        var finished = record
        finished.close(at: clock.now.wall)
        return finished
    }

    // MARK: Time

    func play(until end: WallTime, reporting report: (ReplayProgress) -> Void = { _ in }) {
        var reported = 0
        while let pause = untilNext, clock.now.wall + pause < end {
            clock.advance(by: pause)
            actOnWhatIsDue()
            let hours = wholeHours(until: clock.now.wall)
            if hours > reported { report(progress(at: hours)) }
            reported = hours
        }
        if clock.now.wall < end { clock.advance(by: end - clock.now.wall) }
    }

    private func wholeHours(until time: WallTime) -> Int {
        Int((time.nanoseconds - scenario.period.lowerBound.nanoseconds) / 3_600_000_000_000)
    }

    private func progress(at hours: Int) -> ReplayProgress {
        ReplayProgress(hours: hours, of: wholeHours(until: scenario.period.upperBound), launches: record.launches.count)
    }

    private var untilNext: Duration? {
        let now = clock.now
        let pauses = [
            occurrences.min.map { $0.at - now.monotonic },
            steps.first.map { $0.at - now.wall },
            wake.monotonic.map { $0 - now.monotonic },
            wake.wall.map { $0 - now.wall },
        ]
        return pauses.compactMap(\.self).min().map { max(.zero, $0) }
    }

    private func actOnWhatIsDue() {
        while let step = steps.first, step.at <= clock.now.wall {
            steps.removeFirst()
            perform(step.change)
        }
        while let next = occurrences.min, next.at <= clock.now.monotonic {
            occurrences.removeMin()
            occur(next)
        }
        if isWakeDue { fireTimer() }
    }

    private var isWakeDue: Bool {
        wake.monotonic.map { $0 <= clock.now.monotonic } ?? false || wake.wall.map { $0 <= clock.now.wall } ?? false
    }

    /// Sends `timerFired` while the timer is due: the scheduler may set the timer to the present again. After eight
    /// times the timer waits for 1 ms, so that time advances.
    private func fireTimer() {
        for _ in 0..<8 where isWakeDue { send(.timerFired) }
        if isWakeDue { wake = (clock.now.monotonic + .milliseconds(1), nil) }
    }

    private func perform(_ change: TraceStep.Change) {
        switch change {
        case .conditions(let new): self.change(to: new)
        case .suspension(let until): sleep(until: until)
        case .act(let act): perform(act)
        }
    }

    private func change(to new: Conditions) {
        conditions = new
        send(.conditionsChanged(new))
    }

    /// Suspends the machine until `wall`. User actions during that time are dropped; conditions that changed during
    /// that time take effect when the machine resumes.
    private func sleep(until wall: WallTime) {
        clock.sleep(until: wall)
        steps = steps.drop { $0.at <= wall }
        send(.resumed)
        change(to: trace.conditions(at: wall))
        send(.timerFired)
    }

    // MARK: Actions of the scheduler

    func send(_ event: SchedulerEvent) {
        inbox.append(event)
        if isWorking { return }
        isWorking = true
        defer { isWorking = false }
        var next = 0
        while next < inbox.count {
            for action in scheduler.handle(inbox[next], at: clock.now) {
                record.note(action, at: clock.now)
                carryOut(action)
            }
            next += 1
        }
        inbox.removeAll(keepingCapacity: true)
    }

    private func carryOut(_ action: SchedulerAction) {
        switch action {
        // A commit succeeds at once. No ledger is written: the record keeps the changes.
        case .commit(let ticket, _): inbox.append(.committed(ticket))
        case .takeRunner(let launch, _): later(by: delay(.milliseconds(5) ... .milliseconds(40)), launch, .runnerReady)
        case .sendPlan(let plan): begin(plan)
        case .deliver(let launch, let task): deliver(task, to: launch)
        case .expire(let launch, let tasks, _): expire(tasks, of: launch)
        case .stop(let launch):
            later(by: delay(.milliseconds(1) ... .milliseconds(10)), launch, .ends(.exited(code: 0)))
        case .kill(let launch): later(by: delay(.milliseconds(1) ... .milliseconds(3)), launch, .ends(.signaled(9)))
        case .wake(let monotonic, let wall): wake = (monotonic, wall)
        // A replay begins without pending work.
        case .load(let plugin): inbox.append(.loaded(PluginWork(plugin: plugin)))
        // A replay has no assertions and no files in containers, and all its conditions are known.
        case .answer, .dismissRunner, .confineRunner, .discardContainer, .yieldCursor, .expireAssertions,
            .sweepTransfers,
            .setKillTime,
            .watch, .stopped:
            break
        }
    }

    func later(by delay: Duration, _ launch: LaunchNumber?, _ what: Occurrence.What) {
        lastOrder += 1
        occurrences.insert(Occurrence(at: clock.now.monotonic + delay, order: lastOrder, launch: launch, what: what))
    }

    /// Records that the answer with this token will be about a submission of the task.
    func expect(_ reply: ReplyToken, about identifier: TaskIdentifier) { record.expect(reply, about: identifier) }

    // MARK: Chances

    func draw<Value>(for name: String, _ body: (inout SeededGenerator) -> Value) -> Value {
        body(&chances[name, default: SeededGenerator(seed: scenario.seed, for: name)])
    }

    /// A random delay caused by the machine itself, independent of every plugin.
    func delay(_ range: ClosedRange<Duration>) -> Duration { draw(for: "machine") { $0.duration(in: range) } }
}

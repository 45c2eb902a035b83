// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// A simulated machine that replaces the host's services, driven by a trace and a seed. It runs the same `Scheduler` as
/// a host, sends it events and performs its actions. It makes no decisions about plugins.
final class ReplayWorld: ModelledHost {
    let scenario: ReplayScenario
    let trace: UnfoldedTrace
    let tasks: [TaskIdentifier: ModelTask]
    let plugins: [PluginIdentifier: ModelPlugin]
    let extensions: [PluginIdentifier: ModelExtension]

    private(set) var record: ReplayRecord
    private(set) var conditions: Conditions

    /// Random generators by name. Each name has a generator of its own, so that a changed policy does not alter the
    /// values drawn for other names.
    var chances: [String: SeededGenerator] = [:]
    var launches: [LaunchNumber: PlayedLaunch] = [:]
    var lastReply: UInt64 = 0
    /// The work behind the cursors of tasks, as run time.
    var left: [TaskIdentifier: Duration] = [:]

    private var steps: ArraySlice<TraceStep>

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
        var clock = VirtualClock(at: scenario.period.lowerBound)
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
        let scheduler = Scheduler(
            configuration: scenario.configuration,
            conditions: conditions,
            snapshot: LedgerSnapshot(uses: scenario.uses),
            jitterSeed: scenario.seed,
            at: clock.now
        )
        super.init(scheduler, clock)
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
        let untilStep = steps.first.map { max(.zero, $0.at - clock.now.wall) }
        return [untilNextDecision, untilStep].compactMap(\.self).min()
    }

    private func actOnWhatIsDue() {
        while let step = steps.first, step.at <= clock.now.wall {
            steps.removeFirst()
            perform(step.change)
        }
        actOnOccurrences()
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

    override func perform(_ action: SchedulerAction) {
        record.note(action, at: clock.now)
        switch action {
        // A commit succeeds at once. No ledger is written: the record keeps the changes.
        case .commit(let ticket, _): post(.committed(ticket))
        case .takeRunner(let launch, _): later(by: delay(.milliseconds(5) ... .milliseconds(40)), launch, .runnerReady)
        case .sendPlan(let plan): begin(plan)
        case .deliver(let launch, let task): deliver(task, to: launch)
        case .expire(let launch, let tasks, _): expire(tasks, of: launch)
        case .stop(let launch):
            later(by: delay(.milliseconds(1) ... .milliseconds(10)), launch, .ends(.exited(code: 0)))
        case .kill(let launch): later(by: delay(.milliseconds(1) ... .milliseconds(3)), launch, .ends(.signaled(9)))
        case .wake(let monotonic, let wall): wake = (monotonic, wall)
        // A replay begins without pending work.
        case .load(let plugin): post(.loaded(PluginWork(plugin: plugin)))
        // A replay has no assertions and no files in containers, and all its conditions are known.
        case .answer, .dismissRunner, .confineRunner, .discardContainer, .yieldCursor, .expireAssertions,
            .sweepTransfers,
            .setKillTime,
            .watch, .stopped:
            break
        }
    }

    override func occur(_ occurrence: Occurrence) { act(on: occurrence) }

    /// Records that the answer with this token will be about a submission of the task.
    func expect(_ reply: ReplyToken, about identifier: TaskIdentifier) { record.expect(reply, about: identifier) }

    // MARK: Chances

    func draw<Value>(for name: String, _ body: (inout SeededGenerator) -> Value) -> Value {
        body(&chances[name, default: SeededGenerator(seed: scenario.seed, for: name)])
    }

    /// A random delay caused by the machine itself, independent of every plugin.
    func delay(_ range: ClosedRange<Duration>) -> Duration { draw(for: "machine") { $0.duration(in: range) } }
}

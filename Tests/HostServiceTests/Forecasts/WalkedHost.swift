// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Replay
import Scheduling
import TaskLedger
import TaskModel

/// A host with the real scheduler and a real ledger, under clocks that the test turns. Runners are ready at once, each
/// task succeeds after the time of its plugin and kind, and processes exit when requested. Some launches crash while
/// `crashes` is above 0.
final class WalkedHost {
    /// A launch in the order of the begins.
    struct Begin: Hashable, CustomStringConvertible {
        let at: WallTime
        let plugin: PluginIdentifier
        let tasks: [String]

        var description: String { "\(at.nanoseconds / 1_000_000) ms: \(plugin) \(tasks.joined(separator: ", "))" }
    }

    private enum What {
        case completes(TaskID, CompletionOutcome)
        case crashes
    }

    private struct Occurrence {
        let at: MonotonicTime
        let launch: LaunchNumber
        let what: What
    }

    let ledger: Ledger
    let entries: [PluginEntry]
    let times: [ExpectedTimes.Key: Duration]
    private(set) var core: Scheduler
    private(set) var now: Moment
    private(set) var begins: [Begin] = []
    /// Percentage of launches that crash.
    var crashes = 0
    private var chance: SeededGenerator
    private var occurrences: [Occurrence] = []
    private var wake: (monotonic: MonotonicTime?, wall: WallTime?) = (nil, nil)
    private var lastReply: UInt64 = 0

    /// Starts the host at noon of 2026-01-01, an hour after the boot.
    init(
        _ entries: [PluginEntry],
        times: [ExpectedTimes.Key: Duration],
        configuration: SchedulingConfiguration,
        conditions: Conditions,
        seed: UInt64
    ) async throws {
        ledger = try Ledger.inMemory()
        self.entries = entries
        self.times = times
        chance = SeededGenerator(seed: seed)
        now = Moment(
            monotonic: MonotonicTime(nanoseconds: 0) + .seconds(3_600),
            wall: WallTime(nanoseconds: 0) + .seconds(1_767_268_800),
            boot: BootID("boot-1")
        )
        core = Scheduler(
            configuration: configuration,
            conditions: conditions,
            snapshot: LedgerSnapshot(),
            jitterSeed: seed,
            at: now
        )
        try await send(.catalogued(CatalogueChange(to: Catalogue(entries))))
    }

    // MARK: Events

    func submit(_ request: TaskRequest, by plugin: PluginIdentifier) async throws {
        lastReply += 1
        let submission = Submission(request: request, submitter: .plugin(plugin))
        try await send(.submitted(submission, reply: ReplyToken(rawValue: lastReply)))
    }

    func send(_ first: SchedulerEvent) async throws {
        var inbox = [first]
        while !inbox.isEmpty {
            for action in core.handle(inbox.removeFirst(), at: now) {
                if let result = try await perform(action) { inbox += result }
            }
        }
    }

    private func perform(_ action: SchedulerAction) async throws -> [SchedulerEvent]? {
        switch action {
        case .commit(let ticket, let changes):
            try await ledger.commitAndWait(changes)
            return [.committed(ticket)]
        case .takeRunner(let launch, _): return [.runnerReady(launch, process(of: launch))]
        case .sendPlan(let plan): return begin(plan)
        case .load(let plugin): return [.loaded(try ledger.work(of: plugin))]
        case .expire(let launch, let tasks, _):
            for task in tasks { later(.milliseconds(1), launch, .completes(task, .failure)) }
            return nil
        case .stop(let launch): return [.runnerEnded(launch, .exited(code: 0), nil)]
        case .kill(let launch): return [.runnerEnded(launch, .signaled(9), nil)]
        case .wake(let monotonic, let wall):
            wake = (monotonic, wall)
            return nil
        default: return nil
        }
    }

    private func process(of launch: LaunchNumber) -> RunnerProcess {
        RunnerProcess(pid: 1, startTime: UInt64(launch.rawValue), boot: now.boot, controlGroup: nil)
    }

    private func begin(_ plan: LaunchPlan) -> [SchedulerEvent] {
        let plugin = plan.plugin
        begins.append(Begin(at: now.wall, plugin: plugin.identifier, tasks: plan.tasks.map(\.work.label)))
        for task in plan.tasks { later(time(of: task.work), plan.number, .completes(task.id, .success)) }
        if chance.chance(crashes), let first = plan.tasks.first {
            later(time(of: first.work) / 2, plan.number, .crashes)
        }
        return [.entered(plan.number, status: 0, registered: plugin.permitted, offersReceive: true)]
    }

    func time(of work: PendingWork) -> Duration {
        times[ExpectedTimes.Key(work.plugin, work.kind)] ?? .seconds(1)
    }

    private func later(_ delay: Duration, _ launch: LaunchNumber, _ what: What) {
        let occurrence = Occurrence(at: now.monotonic + delay, launch: launch, what: what)
        occurrences.insert(occurrence, at: occurrences.firstIndex { $0.at > occurrence.at } ?? occurrences.endIndex)
    }

    // MARK: Time

    /// No launch crashes from now on.
    func endCrashes() {
        crashes = 0
        occurrences.removeAll { if case .crashes = $0.what { true } else { false } }
    }

    func play(until end: WallTime) async throws {
        while let pause = untilNext, now.wall + pause < end {
            advance(by: pause)
            try await actOnWhatIsDue()
        }
        if now.wall < end { advance(by: end - now.wall) }
    }

    private var untilNext: Duration? {
        let pauses = [
            occurrences.first.map { $0.at - now.monotonic }, wake.monotonic.map { $0 - now.monotonic },
            wake.wall.map { $0 - now.wall },
        ]
        return pauses.compactMap(\.self).min().map { max(.zero, $0) }
    }

    private func advance(by duration: Duration) {
        now = Moment(monotonic: now.monotonic + duration, wall: now.wall + duration, boot: now.boot)
    }

    private func actOnWhatIsDue() async throws {
        while let next = occurrences.first, next.at <= now.monotonic {
            occurrences.removeFirst()
            switch next.what {
            case .completes(let task, let outcome): try await send(.completed(next.launch, task, outcome))
            case .crashes: try await send(.runnerEnded(next.launch, .signaled(11), nil))
            }
        }
        while isWakeDue { try await send(.timerFired) }
    }

    private var isWakeDue: Bool {
        wake.monotonic.map { $0 <= now.monotonic } ?? false || wake.wall.map { $0 <= now.wall } ?? false
    }

    // MARK: Forecasts

    /// A forecast of the host from its ledger and its memory, as the control API computes it.
    func forecast(
        until end: WallTime,
        _ change: (inout ForecastScenario) -> Void = { _ in }
    ) throws -> Forecast {
        var seed = ForecastSeed(of: core, at: now)
        var last: PluginIdentifier?
        repeat {
            let page = core.delayPage(after: last, limit: 2, at: now)
            seed.delays.merge(page.delays) { first, _ in first }
            last = page.next
        } while last != nil
        let state = try ledger.wholeState(at: now.wall, mostWork: 100_000)
        var scenario = ForecastScenario(
            seed: seed,
            snapshot: state.snapshot,
            work: state.work,
            catalogue: Catalogue(entries),
            times: ExpectedTimes(times.mapValues { [$0] }),
            until: end
        )
        change(&scenario)
        return scenario.compute()
    }
}

extension Forecast {
    /// The future launches, in the form of those that the host made.
    var begins: [WalkedHost.Begin] {
        launches.filter { !$0.isRunning }.map { launch in
            WalkedHost.Begin(at: launch.begin, plugin: launch.plugin, tasks: launch.tasks.map(\.work.label))
        }
    }
}

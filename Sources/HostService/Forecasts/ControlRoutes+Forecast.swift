// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import LinuxSystem
import Replay
import Scheduling
import TaskLedger
import TaskModel

// Forecasts: the state is read from the ledger, and the loop adds only what its memory alone has.
extension ControlRoutes {
    /// Maximum number of requests and events that a forecast reads.
    static let mostForecastWork = 100_000
    /// Time limit of the computation. The read of the ledger comes before it.
    static let forecastTime: Duration = .seconds(5)
    /// The earlier launches whose times a forecast uses began within this time.
    private static let observed: Duration = .seconds(14 * 24 * 60 * 60)
    /// Maximum number of plugins whose delays one turn of the loop returns.
    private static let pluginsPerTurn = 50
    /// Number of attempts to read the ledger and the loop's memory without a launch that began or ended between them.
    private static let attempts = 3

    func forecast(_ body: ForecastOrder) async throws -> ForecastReply {
        let now = try await read { _, now in now.wall }
        let order = try body.validated(at: now)
        let policies = try order.policies.switchedOff()
        if let plugin = order.plugin { try await requireInstalled(plugin) }
        for (name, script) in order.conditions?.lockedContainers ?? [:] where script != .real {
            if let plugin = PluginIdentifier(name) { try await requireInstalled(plugin) }
        }
        return try await forecasts.run { try await compute(order, off: policies) }
    }

    private func compute(_ order: ForecastOrder.Checked, off: Set<Policy>?) async throws -> ForecastReply {
        var (seed, state) = try await consistentState()
        let forecastConditions = conditions.forecast(order.conditions)
        seed.conditions = forecastConditions.conditions
        order.policies.apply(to: &seed.configuration.policies, off: off)
        let scenario = ForecastScenario(
            seed: seed,
            snapshot: state.snapshot,
            work: state.work,
            catalogue: catalogue.reported,
            times: try await expectedTimes(at: seed.now.wall),
            until: order.until,
            plugin: order.plugin,
            limit: order.limit
        )
        let forecast = try await onOwnThread { scenario.compute(within: Self.forecastTime) }
        return ForecastReply(
            forecast,
            order,
            isWorkCut: state.isCut,
            isLoading: seed.isLoading,
            lastSubmission: state.snapshot.lastSubmission,
            conditions: forecastConditions.reply,
            policies: PoliciesInForce(seed.configuration.policies)
        )
    }

    /// The memory of the loop and a state of the ledger with the same running launches. After `attempts`, the launches
    /// that only one of them has are left out.
    private func consistentState() async throws -> (ForecastSeed, Ledger.WholeState) {
        let delays = try await delays()
        for attempt in 1... {
            var seed = try await read { scheduler, now in ForecastSeed(of: scheduler, at: now) }
            seed.delays = delays
            let wall = seed.now.wall
            let state = try await recorded { try $0.wholeState(at: wall, mostWork: Self.mostForecastWork) }
            let recorded = Set(state.snapshot.running.map(\.number))
            if recorded == seed.runningLaunches || attempt == Self.attempts { return (seed, state) }
        }
        throw RouteError(.unexpected, "no state of the host was read; report this defect of bgtaskd")
    }

    /// The delays of all plugins that only the memory of the loop has, a few plugins per turn.
    private func delays() async throws -> [PluginIdentifier: PluginDelays] {
        var delays: [PluginIdentifier: PluginDelays] = [:]
        var last: PluginIdentifier?
        repeat {
            let start = last
            let page = try await read { scheduler, now in
                scheduler.delayPage(after: start, limit: Self.pluginsPerTurn, at: now)
            }
            delays.merge(page.delays) { first, _ in first }
            last = page.next
        } while last != nil
        return delays
    }

    private func expectedTimes(at now: WallTime) async throws -> ExpectedTimes {
        let samples = try await recorded { try $0.taskSamples(since: now + (.zero - Self.observed)) }
        var observed: [ExpectedTimes.Key: [Duration]] = [:]
        for sample in samples.samples {
            guard let used = sample.used else { continue }
            observed[ExpectedTimes.Key(sample.plugin, sample.kind), default: []].append(used)
        }
        return ExpectedTimes(observed)
    }

    /// Computes a value on a new thread with lower priority.
    private func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
        let value: Result<Value, RouteError> = await withCheckedContinuation { continuation in
            let status = DetachedThread.start("forecast") { continuation.resume(returning: .success(body())) }
            if status < 0 {
                let error = SystemError(number: -status, attempt: "start the thread of a forecast")
                continuation.resume(returning: .failure(RouteError(.unexpected, "\(error)")))
            }
        }
        return try value.get()
    }
}

extension ForecastScenario {
    fileprivate func compute(within limit: Duration) -> Forecast {
        let end = ContinuousClock.now + limit
        return compute { ContinuousClock.now > end }
    }
}

extension ForecastPolicies {
    /// The policies that are switched off; nil for those of the host. Throws a refusal for an unknown policy.
    fileprivate func switchedOff() throws(RouteError) -> Set<Policy>? {
        guard let off else { return nil }
        var policies: Set<Policy> = []
        for (index, name) in off.enumerated() {
            guard let policy = Policy(rawValue: name) else {
                throw RouteError(
                    .wordUnknown,
                    field: "policies.off[\(index)]",
                    "field \"policies.off[\(index)]\" is \(name.inQuotes), which is not a policy",
                    remedy: NearestWord.remedy(for: name, among: Policy.allCases.map(\.rawValue))
                )
            }
            policies.insert(policy)
        }
        return policies
    }

    fileprivate func apply(to policies: inout PolicyConfiguration, off: Set<Policy>?) {
        if let off { policies.off = off }
        if let stagger { policies.stagger = stagger.duration }
        if let refreshSpacing { policies.kindSpacing[.refresh] = refreshSpacing.duration }
        if let pushSpacing { policies.kindSpacing[.push] = pushSpacing.duration }
        if let overrunSpacing { policies.overrunSpacing = overrunSpacing.duration }
        if let longestSpacing { policies.longestSpacing = longestSpacing.duration }
        if let dayBudget { policies.dayBudget = dayBudget.duration }
        if let maximumDeferral { policies.maximumDeferral = maximumDeferral.duration }
        if let maximumCapacityWait { policies.maximumCapacityWait = maximumCapacityWait.duration }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Whether a pending request or event may run now, and if not, every reason why.
///
/// The scheduler asks here once for each group of requests, with one of them to stand for all; `task why` and replays ask
/// here for a single one. So an explanation cannot disagree with a decision.
package enum Eligibility {
    /// Facts of the plugin: its entry, its operator's policy, and what runs in its lane.
    package struct Standing: Sendable {
        package var plugin: PluginIdentifier
        package var entry: PluginEntry?
        /// What is wrong with its manifest, when that is why there is no entry.
        package var refusal: String?
        /// Its manifest is refused for want of its main plugin alone.
        package var isOrphan = false
        package var policy: PluginPolicy
        /// Of an extension.
        package var main: MainPlugin?
        /// The launch that holds the lane the work would run in.
        package var laneOccupant: LaunchNumber?
        package var restsUntil: MonotonicTime?
        package var record = PluginRecord()
        package var runnerRetry: (at: MonotonicTime, message: String)?
    }

    /// The main plugin of an extension: while it cannot be launched, neither is the extension, which could only fail.
    package struct MainPlugin: Sendable {
        package var identifier: PluginIdentifier
        package var isInstalled: Bool
        /// As `Standing.refusal`.
        package var refusal: String?
        package var isEnabled: Bool
    }

    /// What else goes on at the host.
    package struct Occupancy: Sendable {
        package var launchesInLane: Int
        package var isStopping: Bool
        package var surges = Surges()
    }

    /// Facts of the work itself, beside what it carries.
    package struct WorkFacts: Sendable {
        /// A commit about it is in flight.
        package var isInFlight = false
        /// A user asked for it on the spot, which overrules time, conditions and capacity, never permission.
        package var isUserRequested = false
        /// The manifest permits its identifier for its kind.
        package var isPermitted = true
        /// It takes capacity of its lane.
        package var needsCapacity = true

        package init() {}
    }

    /// Empty when the work may run. The order is that in which a change is proposed (C13).
    package static func reasons(
        against work: PendingWork,
        _ facts: WorkFacts,
        standing: Standing,
        conditions: Conditions,
        occupancy: Occupancy,
        configuration: SchedulingConfiguration,
        now: Moment
    ) -> [Reason] {
        var reasons = permissionReasons(against: work, facts, standing: standing, configuration: configuration)
        if !facts.isUserRequested {
            reasons += timeReasons(against: work, configuration: configuration, now: now)
            reasons += conditionReasons(against: work, conditions: conditions)
        }
        reasons += Policy.reasons(
            on: Policy.Facts(
                work: work,
                isUserRequested: facts.isUserRequested,
                standing: standing,
                surges: occupancy.surges,
                conditions: conditions,
                configuration: configuration,
                now: now
            )
        )
        if let occupant = standing.laneOccupant { reasons.append(.laneBusy(work.kind.lane, occupant)) }
        let limit = configuration.launchLimit(in: work.kind.lane)
        if facts.needsCapacity, !facts.isUserRequested, standing.laneOccupant == nil, occupancy.launchesInLane >= limit
        {
            reasons.append(.launchLimit(work.kind.lane, limit: limit))
        }
        if facts.isInFlight { reasons.append(.beingRecorded) }
        if let retry = standing.runnerRetry, retry.at > now.monotonic {
            reasons.append(.runnerUnavailable(until: retry.at, message: retry.message))
        }
        if occupancy.isStopping { reasons.append(.hostStopping) }
        return reasons.count < 2 ? reasons : reasons.sorted { $0.kind < $1.kind }
    }

    /// Reasons that keep everything of the plugin from running.
    static func presenceReasons(_ standing: Standing) -> [Reason] {
        var absences: [Reason] = []
        if let main = standing.main, !main.isInstalled { absences.append(absence(of: main.identifier, main.refusal)) }
        // One that only its main plugin keeps out of the catalogue comes back with it.
        if standing.entry == nil, absences.isEmpty || !standing.isOrphan {
            absences.append(absence(of: standing.plugin, standing.refusal))
        }
        if !absences.isEmpty { return absences }
        let disabled = [
            standing.policy.isEnabled ? nil : standing.plugin,
            standing.main.flatMap { $0.isEnabled ? nil : $0.identifier },
        ].compactMap { $0 }
        return disabled.map { .pluginDisabled($0) }
    }

    private static func absence(of plugin: PluginIdentifier, _ refusal: String?) -> Reason {
        refusal.map { .pluginRefused(plugin, problem: $0) } ?? .pluginMissing(plugin)
    }

    private static func permissionReasons(
        against work: PendingWork,
        _ facts: WorkFacts,
        standing: Standing,
        configuration: SchedulingConfiguration
    ) -> [Reason] {
        var reasons = presenceReasons(standing)
        guard reasons.isEmpty, let entry = standing.entry else { return reasons }
        if standing.policy.isBackgroundDenied, work.kind != .continued {
            reasons.append(.backgroundDenied(standing.plugin))
        }
        guard case .request(let pending) = work else { return reasons }
        if let problem = SubmissionRules.problem(with: pending.request, isPermitted: facts.isPermitted, for: entry) {
            reasons.append(problem)
        }
        if work.kind == .refresh { reasons += refreshReasons(standing, configuration) }
        return reasons
    }

    private static func refreshReasons(_ standing: Standing, _ configuration: SchedulingConfiguration) -> [Reason] {
        (configuration.isBackgroundRefreshOn ? [] : [.backgroundRefreshOff(nil)])
            + (standing.policy.isBackgroundRefreshOn ? [] : [.backgroundRefreshOff(standing.plugin)])
    }

    /// The work's own time: when it asks to begin, and how long it rests after an interruption.
    static func timeReasons(
        against work: PendingWork,
        configuration: SchedulingConfiguration,
        now: Moment
    ) -> [Reason] {
        var reasons: [Reason] = []
        if case .request(let pending) = work, let earliest = pending.request.earliestBegin, earliest > now.wall {
            reasons.append(.earliestBegin(earliest))
        }
        if let until = work.retry.rest(at: now, configuration) {
            reasons.append(.retryDelay(until: until, attempts: work.retry.attempts))
        }
        return reasons
    }

    /// Conditions that the machine has to offer before the work can begin at all; events need none.
    static func conditionReasons(against work: PendingWork, conditions: Conditions) -> [Reason] {
        guard case .request(let pending) = work else { return [] }
        var reasons: [Reason] = []
        if pending.request.requiresExternalPower && !conditions.isOnExternalPower { reasons.append(.externalPower) }
        if pending.request.requiresNetwork && !conditions.hasNetwork { reasons.append(.network) }
        if pending.needsUnlockedContainer, conditions.containerLocks[pending.plugin] != false {
            reasons.append(.containerLocked(pending.plugin))
        }
        if let terms = pending.request.continued, !terms.resources.isSubset(of: conditions.resources) {
            reasons.append(.resourcesMissing)
        }
        // Work that a user watches is not kept from beginning by it.
        if conditions.isUseUnknown, work.kind.lane == .background { reasons.append(.useUnknown) }
        if conditions.isMemoryLow { reasons.append(.memoryPressure) }
        if conditions.isHot { reasons.append(.heat) }
        return reasons
    }
}

extension Retry {
    /// Until when it rests after an interruption; nil when it does not. A rest that is longer than any that was ever given
    /// comes from a clock that was ahead, and is none.
    func rest(at now: Moment, _ configuration: SchedulingConfiguration) -> WallTime? {
        guard let notBefore, notBefore > now.wall else { return nil }
        return notBefore - now.wall <= configuration.retryDelay(after: max(attempts, hostLosses - 1)) ? notBefore : nil
    }

    /// Drops a rest that comes from a clock that was ahead. It would count again as the clock comes near its end.
    mutating func dropVoidRest(at now: Moment, _ configuration: SchedulingConfiguration) {
        if let notBefore, notBefore > now.wall, rest(at: now, configuration) == nil { self.notBefore = nil }
    }
}

extension SchedulingConfiguration {
    /// It doubles with each charged attempt (C3).
    func retryDelay(after attempts: Int) -> Duration { retryDelay * (1 << min(max(0, attempts - 1), 30)) }
}

extension PendingRequest {
    var needsUnlockedContainer: Bool { request.kind == .healthResearch && request.protection != .none }

    /// From when its own time lets it run; nil when it does already.
    func due(at now: Moment, _ configuration: SchedulingConfiguration) -> WallTime? {
        [request.earliestBegin, retry.rest(at: now, configuration)].compactMap { $0 }.filter { $0 > now.wall }.max()
    }
}

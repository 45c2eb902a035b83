// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Computes whether a pending request or event may run now, and if not, all reasons against it.
///
/// The scheduler evaluates one request for each group of requests with the same reasons; `why` and replays evaluate
/// single requests. All of them use this code, so an explanation never contradicts a decision.
package enum Eligibility {
    /// Facts about the plugin of the work, such as its entry, the operator's settings for it, and the launch that
    /// occupies its lane.
    package struct Standing: Sendable {
        package var plugin: PluginIdentifier
        package var entry: PluginEntry?
        /// The problem of the plugin's manifest; nil when the manifest is not refused.
        package var refusal: String?
        /// Whether the plugin's manifest is refused only because its main plugin is missing.
        package var isOrphan = false
        package var policy: PluginPolicy
        /// The pause of the plugin; nil when it is not paused.
        package var pause: PluginPause?
        /// The main plugin of an extension; nil for a main plugin.
        package var main: MainPlugin?
        /// The launch that occupies the lane of the work or, for a continued request, the launch for which the request
        /// waits; nil without one.
        package var laneOccupant: LaunchNumber?
        /// Whether the tasks and assertions of the launch that occupies the lane have ended, while the end of its
        /// process is not recorded yet.
        package var isOccupantStopping = false
        package var cooldownEnd: MonotonicTime?
        package var record = PluginRecord()
        /// The learned use of the plugin; nil for another lane than the background lane, for a plugin without uses, and
        /// where the host does not learn use.
        package var learnedUse: LearnedUse?
        package var runnerRetry: (at: MonotonicTime, message: String)?
    }

    /// The main plugin of an extension. While the main plugin cannot be launched, its extensions are not launched
    /// either, because a launch of an extension would only fail.
    package struct MainPlugin: Sendable {
        package var identifier: PluginIdentifier
        package var isInstalled: Bool
        /// The problem of the main plugin's manifest; nil when the manifest is not refused.
        package var refusal: String?
        package var isEnabled: Bool
        package var pause: PluginPause?
    }

    /// Facts about the host: other launches, stopping, start-up waves, the disk.
    package struct Occupancy: Sendable {
        package var use: LaneUse
        package var isStopping: Bool
        package var startupWaves = StartupWaves()
        /// The shortage of the disk of the containers for which launches of the lane wait; nil without one.
        package var diskShortage: DiskShortage?
        /// The main plugin of the launch that was last expired or killed for this shortage; nil when none was.
        package var diskUser: PluginIdentifier?
    }

    /// Facts about the evaluated work that `PendingWork` does not contain.
    package struct WorkFacts: Sendable {
        /// Whether a commit about the work is in flight.
        package var isInFlight = false
        /// The end of the doubt about the deadline of the work, which has passed; nil for work that is not overdue.
        package var overdueUntil: MonotonicTime?
        /// Whether a user requested the work. A user's request overrides time, conditions and capacity, but never
        /// permission.
        package var isUserRequested = false
        /// Whether a user paused the work, which is a transfer.
        package var isPaused = false
        /// The time until which the work waits for the renewal of its lease; nil for work that does not.
        package var renewalUntil: MonotonicTime?
        /// Whether a download is open that the function of the work takes as an argument.
        package var awaitsDownload = false
        /// Whether the manifest permits the identifier of the work for its kind.
        package var isPermitted = true
        /// Whether running the work would use further capacity of the lane: by a launch of its own, or by moving a
        /// running launch into the continued lane. False for a request that joins a launch in the continued lane, and
        /// where capacity is checked for each request instead.
        package var needsCapacity = true
        /// The label of other work of the lane for which this work waits: a request that has to run in a launch by
        /// itself, or the first waiting event. Nil without such work.
        package var alone: String?

        package init() {}
    }

    /// All reasons against the work now, in the order in which `why` proposes the remedies (C13); empty when the work
    /// may run.
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
        if facts.isPaused, let identifier = work.identifier { reasons.append(.transferPaused(identifier)) }
        if let end = facts.overdueUntil { reasons.append(.deadlinePassed(until: end)) }
        if let end = facts.renewalUntil, let lease = work.claim?.lease {
            reasons.append(.leaseUnconfirmed(lease, until: end))
        }
        if !facts.isUserRequested {
            reasons += timeReasons(against: work, standing: standing, configuration: configuration, now: now)
            reasons += conditionReasons(against: work, conditions: conditions)
        }
        reasons += Policy.reasons(
            on: Policy.Facts(
                work: work,
                isUserRequested: facts.isUserRequested,
                standing: standing,
                startupWaves: occupancy.startupWaves,
                conditions: conditions,
                configuration: configuration,
                now: now
            )
        )
        if facts.awaitsDownload { reasons.append(.downloadUnfinished(work.plugin)) }
        if let occupant = standing.laneOccupant {
            reasons.append(.laneBusy(work.kind.lane, occupant, isStopping: standing.isOccupantStopping))
        }
        let limit = configuration.launchLimit(in: work.kind.lane)
        if facts.needsCapacity, !facts.isUserRequested, standing.laneOccupant == nil {
            if let reason = occupancy.use.reason(in: work.kind.lane, limit: limit) { reasons.append(reason) }
            if let shortage = occupancy.diskShortage {
                reasons.append(.diskReserve(shortage, usedUpBy: occupancy.diskUser))
            }
        }
        if facts.isInFlight { reasons.append(.beingRecorded) }
        if let retry = standing.runnerRetry, retry.at > now.monotonic {
            reasons.append(.runnerUnavailable(until: retry.at, message: retry.message))
        }
        if occupancy.isStopping { reasons.append(.hostStopping) }
        return Self.reasons(reasons.count < 2 ? reasons : reasons.sorted { $0.kind < $1.kind }, behind: facts.alone)
    }

    /// The reasons of a group, extended by `othersRunAlone` for a member that waits for other work of the lane.
    ///
    /// - Parameter alone: the label of the other work; nil without one, and the reasons are then unchanged.
    static func reasons(_ reasons: [Reason], behind alone: String?) -> [Reason] {
        guard let alone else { return reasons }
        return (reasons + [.othersRunAlone(first: alone)]).sorted { $0.kind < $1.kind }
    }

    /// The reasons that block all work of the plugin because the plugin, or the main plugin of an extension, is
    /// missing, refused, disabled or paused. Whether it is disabled counts only while both are installed.
    static func presenceReasons(_ standing: Standing) -> [Reason] {
        let absences = absences(standing)
        return (absences.isEmpty ? disabled(standing) : absences) + pauses(standing)
    }

    private static func absences(_ standing: Standing) -> [Reason] {
        var absences: [Reason] = []
        if let main = standing.main, !main.isInstalled { absences.append(absence(of: main.identifier, main.refusal)) }
        // An extension that is refused only for lack of its main plugin returns with it: the absence of the main plugin
        // is the reason.
        if case nil = standing.entry, absences.isEmpty || !standing.isOrphan {
            absences.append(absence(of: standing.plugin, standing.refusal))
        }
        return absences
    }

    private static func disabled(_ standing: Standing) -> [Reason] {
        let disabled = [
            standing.policy.isEnabled ? nil : standing.plugin,
            standing.main.flatMap { $0.isEnabled ? nil : $0.identifier },
        ]
        return disabled.compactMap { $0.map { .pluginDisabled($0) } }
    }

    /// The pauses of the plugin and of its main plugin. They do not depend on manifests: a missing plugin may have one.
    private static func pauses(_ standing: Standing) -> [Reason] {
        let own: Reason? = standing.pause.map { .pluginPaused(standing.plugin, $0) }
        let ofMain: Reason? = standing.main.flatMap { main in main.pause.map { .pluginPaused(main.identifier, $0) } }
        return [own, ofMain].compactMap(\.self)
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
        // The reasons that follow do not depend on pauses: a user sees all of them before the plugin is resumed.
        guard reasons.allSatisfy({ $0.kind == .pluginPaused }), let entry = standing.entry else { return reasons }
        if standing.policy.isBackgroundDenied, work.kind != .continued {
            reasons.append(.backgroundDenied(standing.plugin))
        }
        let minors = configuration.abiMinors
        if !minors.delivers(work, to: entry.library), let header = entry.library.headerMinor {
            reasons.append(.pluginTooOld(since: minors.since(work), header: header))
        }
        guard case .request(let pending) = work else { return reasons }
        if let problem = SubmissionRules.problem(with: pending.request, isPermitted: facts.isPermitted, for: entry) {
            reasons.append(problem.reason(for: pending.request))
        }
        if work.kind == .transfer, let problem = configuration.transfers.problem {
            reasons.append(.transferLibraryMissing(problem: problem))
        }
        if work.kind == .transfer, !entry.grants.network, entry.grants.connect.isEmpty {
            reasons.append(.networkNotGranted(standing.plugin))
        }
        if work.kind.needsBackgroundRefresh { reasons += refreshReasons(standing, configuration) }
        return reasons
    }

    private static func refreshReasons(_ standing: Standing, _ configuration: SchedulingConfiguration) -> [Reason] {
        (configuration.isBackgroundRefreshOn ? [] : [.backgroundRefreshOff(nil)])
            + (standing.policy.isBackgroundRefreshOn ? [] : [.backgroundRefreshOff(standing.plugin)])
    }

    /// The reasons that end at a time stored with the work: earliest begin and end of the retry delay.
    ///
    /// - Parameter standing: the facts about the plugin of a request; nil for an event.
    static func timeReasons(
        against work: PendingWork,
        standing: Standing? = nil,
        configuration: SchedulingConfiguration,
        now: Moment
    ) -> [Reason] {
        var reasons: [Reason] = []
        if case .request(let pending) = work, let earliest = pending.request.earliestBegin, earliest > now.wall {
            reasons.append(.earliestBegin(earliest))
        }
        guard let until = work.retry.rest(at: now, configuration) else { return reasons }
        if case .event(let event) = work, event.isRelaunch {
            reasons.append(.relaunchSpacing(until: until))
        } else {
            let failed = failedAttempt(of: work, standing)
            reasons.append(.retryDelay(until: until, attempts: work.retry.attempts, failed: failed))
        }
        return reasons
    }

    /// The last failed attempt of a request that is retried after a failure; nil for other work.
    private static func failedAttempt(of work: PendingWork, _ standing: Standing?) -> FailedAttempt? {
        guard work.retry.failures > 0, let identifier = work.identifier else { return nil }
        let terms = standing?.policy.retries.terms(for: identifier, proposed: standing?.entry?.retries ?? [:])
        return FailedAttempt(work.retry.failures, of: terms?.attempts)
    }

    /// The reasons about conditions, without those of policies: unmet requirements of the request, a missing first
    /// sample, memory pressure and heat. Empty for an event.
    static func conditionReasons(against work: PendingWork, conditions: Conditions) -> [Reason] {
        guard case .request(let pending) = work else { return [] }
        var reasons: [Reason] = []
        if pending.request.requiresExternalPower && !conditions.isOnExternalPower { reasons.append(.externalPower) }
        if pending.request.requiresNetwork && !conditions.hasNetwork { reasons.append(.network) }
        if pending.request.isDiscretionaryTransfer, conditions[.metered] { reasons.append(.metered) }
        if pending.needsUnlockedContainer, conditions.containerLocks[pending.plugin] != false {
            reasons.append(.containerLocked(pending.plugin))
        }
        if let terms = pending.request.continued, !terms.resources.isSubset(of: conditions.resources) {
            reasons.append(.resourcesMissing)
        }
        // Continued work, which a user watches, does not wait for the first sample.
        if conditions.isUseUnknown, work.kind.lane == .background || work.waitsForIdle { reasons.append(.useUnknown) }
        if conditions.isMemoryLow { reasons.append(.memoryPressure) }
        if conditions.isHot { reasons.append(.heat) }
        return reasons
    }
}

extension Retry {
    /// End of the retry delay; nil when there is no delay or it has passed. A delay that was set while the wall clock
    /// was ahead is ignored.
    func rest(at now: Moment, _ configuration: SchedulingConfiguration) -> WallTime? {
        guard let notBefore, notBefore > now.wall, !isVoid(notBefore, at: now, configuration) else { return nil }
        return notBefore
    }

    /// Drops a retry delay that was set while the wall clock was ahead. Otherwise the delay would apply again as soon
    /// as the clock comes near the end of the delay.
    mutating func dropVoidCooldown(at now: Moment, _ configuration: SchedulingConfiguration) {
        if let notBefore, isVoid(notBefore, at: now, configuration) { self.notBefore = nil }
    }

    /// Whether `end` is later than any retry delay set now could end: the delay was set while the wall clock was ahead.
    private func isVoid(_ end: WallTime, at now: Moment, _ configuration: SchedulingConfiguration) -> Bool {
        let afterInterruption = configuration.retryDelay(after: max(attempts, hostLosses - 1))
        let afterSetback = setbacks > 0 ? configuration.retryDelay(afterSetbacks: setbacks) : .zero
        return end - now.wall
            > max(afterInterruption, afterSetback, failures > 0 ? FailureRetry.longestDelay : .zero)
    }
}

extension SchedulingConfiguration {
    /// The retry delay after a number of charged attempts. Each further attempt doubles it (C3).
    func retryDelay(after attempts: Int) -> Duration { retryDelay * (1 << min(max(0, attempts - 1), 30)) }

    /// The delay after a number of setbacks in a row. From the third one each doubles it, up to an hour (C19).
    func retryDelay(afterSetbacks setbacks: Int) -> Duration {
        min(retryDelay(after: setbacks - 1), max(retryDelay, .seconds(3_600)))
    }
}

extension PendingRequest {
    /// Whether the spacing of a kind applies to the request: the plugin submitted it itself, or it is a push, and it
    /// does not run again after an interruption or a failure. A used budget is no interruption.
    var isPaced: Bool { isOwn && retry.failures == 0 && !retry.wasInterrupted }

    var needsUnlockedContainer: Bool { request.kind == .healthResearch && request.protection != .none }

    /// Whether the deadline of the request has passed: it never starts any more.
    func isOverdue(at now: WallTime) -> Bool { request.expiresAt.map { $0 <= now } ?? false }

    /// The time at which earliest begin and retry delay have passed; nil when they already have.
    func due(at now: Moment, _ configuration: SchedulingConfiguration) -> WallTime? {
        [request.earliestBegin, retry.rest(at: now, configuration)].compactMap { $0 }.filter { $0 > now.wall }.max()
    }
}

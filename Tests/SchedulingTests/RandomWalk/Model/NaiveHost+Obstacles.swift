// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

/// The obstacles to a request or an event, as codes of reasons. `sure` contains the certain ones.
struct Obstacles {
    var sure: Set<String> = []
    /// Possible obstacles: those that the semantics permit but do not require, and those near a limit that the model
    /// computes only roughly.
    var perhaps: Set<String> = []

    static let advisory: Set<String> = [
        "spacing", "day-budget", "stagger", "use-spacing", "not-idle", "high-load", "battery-low", "power-saver",
    ]
    /// Advisory obstacles that begin a deferral (C12).
    static let lastingAdvisory: Set<String> = ["day-budget", "not-idle", "high-load", "battery-low", "power-saver"]
    /// Obstacles that other work causes, or that end by themselves within a short time.
    static let passing: Set<String> = [
        "lane-busy", "launch-limit", "others-run-alone", "being-recorded", "runner-unavailable", "spacing", "stagger",
    ]
}

// Eligibility of work: permission, time, conditions of the machine, and advisory reasons.
extension NaiveHost {
    /// All obstacles except those by other launches.
    func obstacles(to work: PendingWork) -> Obstacles {
        var found = Obstacles(sure: permission(of: work))
        noteDeadlines(of: work, in: &found)
        let isUserRequested = userRequested.contains(work.number)
        if !isUserRequested {
            if case .request(let pending) = work, let begin = pending.request.earliestBegin, begin > now.wall {
                found.sure.insert("earliest-begin")
            }
            if isResting(work) { found.sure.insert("retry-delay") }
            found.sure.formUnion(needs(of: work))
        }
        if isUserRequested, !isOff(.user) { return found }
        let advisory = advisoryObstacles(to: work)
        if isMaximumDeferralOver(of: work, since: heldSurely) { return found }
        if isMaximumDeferralOver(of: work, since: heldPerhaps) {
            found.perhaps.formUnion(advisory.sure.union(advisory.perhaps))
            return found
        }
        found.sure.formUnion(advisory.sure)
        found.perhaps.formUnion(advisory.perhaps)
        return found
    }

    /// Adds the obstacles of a request whose deadline has passed: it does not start while the clock is in doubt, and
    /// its end is then being recorded, also after a failed commit.
    private func noteDeadlines(of work: PendingWork, in found: inout Obstacles) {
        guard case .request(let pending) = work, pending.isOverdue(at: now.wall) else { return }
        // A stopping host records no lapse, and a due alarm may not have fired.
        found.perhaps.insert("being-recorded")
        if isStopping || host.timeToWake == .zero {
            found.perhaps.insert("deadline-passed")
        } else {
            found.sure.insert("deadline-passed")
        }
    }

    /// Whether the retry delay of the work still lasts. A delay longer than the configured one, doubled with each
    /// further attempt, and longer than any delay after a failure, was computed by a clock that was ahead, and does not
    /// count (C3).
    private func isResting(_ work: PendingWork) -> Bool {
        guard let end = work.retry.notBefore, end > now.wall, voidCooldowns[work.number] != end else { return false }
        return end - now.wall <= longestCooldown(of: work)
    }

    private func longestCooldown(of work: PendingWork) -> Duration {
        let count = max(work.retry.attempts, work.retry.hostLosses - 1)
        let afterInterruption = configuration.retryDelay * (1 << max(0, count - 1))
        let afterSetback = work.retry.setbacks > 0 ? delay(afterSetbacks: work.retry.setbacks) : .zero
        return max(afterInterruption, afterSetback, work.retry.failures > 0 ? FailureRetry.longestDelay : .zero)
    }

    func noteVoidCooldowns(_ works: [PendingWork]) {
        for work in works {
            guard let end = work.retry.notBefore, end - now.wall > longestCooldown(of: work) else { continue }
            voidCooldowns[work.number] = end
        }
    }

    /// The work as the host holds it: without a retry delay that was computed by a clock that was ahead.
    func withoutVoidCooldown(_ work: PendingWork) -> PendingWork {
        var work = work
        if let end = work.retry.notBefore, voidCooldowns[work.number] == end { work.retry.notBefore = nil }
        return work
    }

    // MARK: Permission

    private func permission(of work: PendingWork) -> Set<String> {
        let main = mainPlugin(of: work.plugin)
        // The ledger has a pause from its commit to the commit of its end.
        let isPaused = [main, work.plugin].compactMap { $0 }.contains { host.ledger.pauses[$0] != nil }
        var found: Set<String> = isPaused ? ["plugin-paused"] : []
        let absent = [main, work.plugin].compactMap { $0 }.filter { entry($0) == nil }
        guard absent.isEmpty, let entry = entry(work.plugin) else {
            return found.union(absent.map { absence(of: $0) })
        }
        if !policy(work.plugin).isEnabled || main.map({ !policy($0).isEnabled }) ?? false {
            return found.union(["plugin-disabled"])
        }
        if policy(work.plugin).isBackgroundDenied, work.kind != .continued { found.insert("background-denied") }
        guard case .request(let pending) = work else { return found }
        if let obstacle = obstacle(ofPermissionTo: pending.request, by: entry) { found.insert(obstacle) }
        if work.kind == .refresh || work.kind == .push,
            !configuration.isBackgroundRefreshOn || !policy(work.plugin).isBackgroundRefreshOn
        {
            found.insert("background-refresh-off")
        }
        return found
    }

    private func absence(of plugin: PluginIdentifier) -> String {
        // The host does not know that a purged plugin was refused.
        host.refused[plugin] == nil || !host.scheduler.plugins.contains(plugin) ? "plugin-missing" : "plugin-refused"
    }

    /// The main plugin of an extension; nil for a main plugin, before the host has catalogued the extension, and after
    /// its purge.
    func mainPlugin(of plugin: PluginIdentifier) -> PluginIdentifier? {
        plugin == .keyboard && host.scheduler.plugins.find(plugin)?.containingPlugin != nil ? .app : nil
    }

    /// The code of the first missing permission: identifier, mode or entitlement; nil if none is missing.
    func obstacle(ofPermissionTo request: TaskRequest, by entry: PluginEntry) -> String? {
        if request.kind == .push { return entry.modes.contains(.remoteNotification) ? nil : "mode-missing" }
        let mayBePattern =
            request.kind == .continued
            || request.kind.isProcessing && policy(entry.identifier).allowsPatternsForProcessing
        let isPermitted = entry.permitted.contains { permitted in
            switch permitted {
            case .exact(let name): name == request.identifier
            case .pattern(let prefix): mayBePattern && request.identifier.text.hasPrefix(prefix.text + ".")
            }
        }
        if !isPermitted { return "identifier-not-permitted" }
        if request.kind == .refresh, !entry.modes.contains(.fetch) { return "mode-missing" }
        if request.kind.isProcessing, !entry.modes.contains(.processing) { return "mode-missing" }
        if request.kind == .healthResearch, !entry.entitlements.contains(.healthResearch) {
            return "entitlement-missing"
        }
        if request.continued?.resources.contains(.gpu) == true, !entry.entitlements.contains(.continuedProcessingGPU) {
            return "entitlement-missing"
        }
        return nil
    }

    // MARK: The machine

    private func needs(of work: PendingWork) -> Set<String> {
        guard case .request(let pending) = work else { return [] }
        let request = pending.request
        var found: Set<String> = []
        if request.requiresExternalPower, !conditions.isOnExternalPower { found.insert("external-power") }
        if request.requiresNetwork, !conditions.hasNetwork { found.insert("network") }
        if request.kind == .healthResearch, request.protection != .none,
            conditions.containerLocks[pending.plugin] != false
        {
            found.insert("container-locked")
        }
        if let terms = request.continued, !terms.resources.isSubset(of: conditions.resources) {
            found.insert("resources-missing")
        }
        if conditions.isUseUnknown, request.kind != .continued { found.insert("use-unknown") }
        if conditions.isMemoryLow { found.insert("memory-pressure") }
        if conditions.isHot { found.insert("heat") }
        return found
    }

    // MARK: Advisory reasons

    private func advisoryObstacles(to work: PendingWork) -> Obstacles {
        var found = Obstacles()
        guard case .request(let pending) = work else { return found }
        let kind = pending.request.kind
        if kind.isProcessing, !conditions.isIdle, !isOff(.idle) { found.sure.insert("not-idle") }
        let mindsLoad = kind == .refresh || kind == .push || kind == .continued || isOff(.idle)
        if mindsLoad, conditions.isLoadHigh, !isOff(.load) { found.sure.insert("high-load") }
        if kind == .continued { return found }
        if conditions[.powerSaver], !isOff(.powerSaver) { found.sure.insert("power-saver") }
        if conditions[.batteryLow], !isOff(.battery) { found.sure.insert("battery-low") }
        if let rest = rests[work.plugin], rest > now.monotonic, !isOff(.spacing) { found.sure.insert("spacing") }
        if !isOff(.stagger) {
            let recent = startupWaves.filter { $0.at + configuration.policies.stagger > now.monotonic }
            if recent.contains(where: { !$0.isNetwork || pending.request.requiresNetwork }) {
                found.perhaps.insert("stagger")
            }
        }
        if !isOff(.dayBudget) {
            let limit = policy(work.plugin).dayBudget ?? configuration.policies.dayBudget
            if dayUse(of: work.plugin, widenedBy: .seconds(-15 * 60)) >= limit {
                found.sure.insert("day-budget")
            } else if dayUse(of: work.plugin, widenedBy: .seconds(15 * 60)) >= limit {
                found.perhaps.insert("day-budget")
            }
        }
        return found
    }

    /// Records an ended launch for policies. Earlier uses with a later time come from a clock that was ahead. They are
    /// dropped or, up to a quarter of an hour later than the end, count as uncertain.
    func remember(_ launch: PastLaunch) {
        past.append(launch)
        guard launch.lane == .background else { return }
        let slot: Duration = .minutes(15)
        dayUses.removeAll { $0.plugin == launch.plugin && $0.at > launch.endedAt + slot }
        for index in dayUses.indices where dayUses[index].plugin == launch.plugin && dayUses[index].at > launch.endedAt
        {
            dayUses[index].isSure = false
        }
        dayUses.append(DayUse(plugin: launch.plugin, at: launch.endedAt, used: launch.used ?? .zero))
    }

    private func dayUse(of plugin: PluginIdentifier, widenedBy slack: Duration) -> Duration {
        let (begin, end) = (now.wall - .hours(24) - slack, now.wall + max(.zero, slack))
        return dayUses.filter { $0.plugin == plugin && ($0.isSure || slack > .zero) && $0.at > begin && $0.at <= end }
            .reduce(.zero) { $0 + $1.used }
    }

    /// Starts the spacing of a plugin after a background launch. It is longer after consecutive overruns.
    func rest(_ plugin: PluginIdentifier) {
        let base = policy(plugin).spacing ?? configuration.spacing
        let last = past.filter { $0.plugin == plugin && $0.lane == .background }.map(\.outcome)
            .filter { $0 != .lost && $0 != .interrupted }
        let overruns = last.reversed().prefix { $0 == .overran }.count
        var rest = base
        if overruns > 0, !isOff(.spacing) {
            let policies = configuration.policies
            rest = max(base, min(policies.longestSpacing, policies.overrunSpacing * (1 << min(overruns - 1, 20))))
        }
        rests[plugin] = now.monotonic + rest
    }

    // MARK: The maximum deferral (C12)

    private func isMaximumDeferralOver(of work: PendingWork, since held: [SubmissionNumber: WallTime]) -> Bool {
        guard !isOff(.maximumDeferral), case .request = work, let since = held[work.number] else { return false }
        return since + configuration.policies.maximumDeferral <= now.wall
    }

    /// Notes the start of the deferral of each request: the first moment without required obstacles. A moment in which
    /// the class of the request was deferred counts as well, even while the request was in flight or other requests
    /// ran.
    func noteHolds() {
        for request in host.ledger.requests where !host.scheduler.loading.isMissing(request.plugin) {
            // A deferral that ends in the instant of its beginning covers no later request.
            if heldSurely[request.number] == now.wall { heldSurely[request.number] = nil }
            let since = (surely: heldSurely[request.number], perhaps: heldPerhaps[request.number])
            if let surely = since.surely, let perhaps = since.perhaps, max(surely, perhaps) <= now.wall { continue }
            let work = PendingWork.request(request)
            let (found, others) = (obstacles(to: work), passingObstacles(to: work))
            // A lane is not evaluated while its runner starts. An earlier deferral continues then, also for requests
            // that become due meanwhile.
            let isFrozen =
                prepared(in: work.kind.lane).contains(work.plugin)
                && found.sure.isDisjoint(with: ["earliest-begin", "retry-delay"])
            // The deferral of a class covers requests of the class that the manifest does not permit at the moment.
            guard isFrozen || found.sure.subtracting(["identifier-not-permitted"]).isSubset(of: Obstacles.advisory)
            else {
                continue
            }
            let isPossible = isFrozen || !Obstacles.lastingAdvisory.isDisjoint(with: found.sure.union(found.perhaps))
            if isPossible, since.perhaps.map({ $0 > now.wall }) ?? true { heldPerhaps[request.number] = now.wall }
            // Capacity that was free during the event could have gone to any waiting request.
            guard found.sure.isSubset(of: Obstacles.advisory),
                others.sure.isSubset(of: capacityChangedHands ? ["launch-limit"] : []), !isUnderWay(request)
            else { continue }
            // A request that waits for the spacing or the stagger is evaluated at its end.
            let isAtRest = found.sure.union(found.perhaps).isDisjoint(with: ["spacing", "stagger"])
            let isFree = others.sure.isEmpty && !others.perhaps.contains("being-recorded")
            let isSure = isAtRest && isFree && !Obstacles.lastingAdvisory.isDisjoint(with: found.sure)
            if isSure, since.surely.map({ $0 > now.wall }) ?? true { heldSurely[request.number] = now.wall }
        }
    }
}

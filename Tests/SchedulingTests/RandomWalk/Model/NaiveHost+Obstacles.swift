// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

/// What stands against a request or an event, by the codes of the reasons.
struct Obstacles {
    var sure: Set<String> = []
    /// Where the semantics leave a choice, or where to the minute is near enough.
    var perhaps: Set<String> = []

    static let soft: Set<String> = ["spacing", "day-budget", "spread", "not-idle", "high-load"]
    /// What patience begins with (C12).
    static let lastingSoft: Set<String> = ["day-budget", "not-idle", "high-load"]
    /// What the work of others brings, and what passes by itself.
    static let passing: Set<String> = [
        "lane-busy", "launch-limit", "others-run-alone", "being-recorded", "runner-unavailable", "spacing", "spread",
    ]
}

// Whether work may run: permission, time, the machine, and what is soft.
extension NaiveHost {
    /// Everything but what other launches do.
    func obstacles(to work: PendingWork) -> Obstacles {
        var found = Obstacles(sure: permission(of: work))
        let isWished = wishes.contains(work.number)
        if !isWished {
            if case .request(let pending) = work, let begin = pending.request.earliestBegin, begin > now.wall {
                found.sure.insert("earliest-begin")
            }
            if isResting(work) { found.sure.insert("retry-delay") }
            found.sure.formUnion(needs(of: work))
        }
        if isWished, !isOff(.person) { return found }
        let soft = softObstacles(to: work)
        // A request that became due in the instant in which the deferral of its class ended counts from the next nanosecond.
        if isPatienceOver(of: work, since: heldSurely.mapValues { $0 + .nanoseconds(1) }) { return found }
        if isPatienceOver(of: work, since: heldPerhaps) {
            found.perhaps.formUnion(soft.sure.union(soft.perhaps))
            return found
        }
        found.sure.formUnion(soft.sure)
        found.perhaps.formUnion(soft.perhaps)
        return found
    }

    /// 10 s, doubled with each further attempt; what is longer was reckoned by a clock that was ahead (C3).
    private func isResting(_ work: PendingWork) -> Bool {
        guard let end = work.retry.notBefore, end > now.wall, voidRests[work.number] != end else { return false }
        return end - now.wall <= longestRest(of: work)
    }

    private func longestRest(of work: PendingWork) -> Duration {
        let count = max(work.retry.attempts, work.retry.hostLosses - 1)
        return configuration.retryDelay * (1 << max(0, count - 1))
    }

    func noteVoidRests(_ works: [PendingWork]) {
        for work in works {
            guard let end = work.retry.notBefore, end - now.wall > longestRest(of: work) else { continue }
            voidRests[work.number] = end
        }
    }

    /// As the host has it, which forgets a void rest.
    func withoutVoidRest(_ work: PendingWork) -> PendingWork {
        var work = work
        if let end = work.retry.notBefore, voidRests[work.number] == end { work.retry.notBefore = nil }
        return work
    }

    // MARK: Permission

    private func permission(of work: PendingWork) -> Set<String> {
        let main = mainPlugin(of: work.plugin)
        let absent = [main, work.plugin].compactMap { $0 }.filter { entry($0) == nil }
        guard absent.isEmpty, let entry = entry(work.plugin) else { return Set(absent.map { absence(of: $0) }) }
        if !policy(work.plugin).isEnabled || main.map({ !policy($0).isEnabled }) ?? false { return ["plugin-disabled"] }
        var found: Set<String> = []
        if policy(work.plugin).isBackgroundDenied, work.kind != .continued { found.insert("background-denied") }
        guard case .request(let pending) = work else { return found }
        if let obstacle = obstacle(ofPermissionTo: pending.request, by: entry) { found.insert(obstacle) }
        if work.kind == .refresh,
            !configuration.isBackgroundRefreshOn || !policy(work.plugin).isBackgroundRefreshOn
        {
            found.insert("background-refresh-off")
        }
        return found
    }

    private func absence(of plugin: PluginIdentifier) -> String {
        // Of what is forgotten nobody knows any more what became of it.
        host.refused[plugin] == nil || !host.scheduler.plugins.contains(plugin) ? "plugin-missing" : "plugin-refused"
    }

    /// Of an extension; before that is seen, and once it is forgotten, nobody knows whose it is.
    func mainPlugin(of plugin: PluginIdentifier) -> PluginIdentifier? {
        plugin == .keyboard && host.scheduler.plugins.find(plugin)?.containingPlugin != nil ? .app : nil
    }

    /// The first of identifier, mode and entitlement that is missing.
    func obstacle(ofPermissionTo request: TaskRequest, by entry: PluginEntry) -> String? {
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

    // MARK: What is soft

    private func softObstacles(to work: PendingWork) -> Obstacles {
        var found = Obstacles()
        guard case .request(let pending) = work else { return found }
        let kind = pending.request.kind
        if kind.isProcessing, !conditions.isIdle, !isOff(.idle) { found.sure.insert("not-idle") }
        let mindsLoad = kind == .refresh || kind == .continued || isOff(.idle)
        if mindsLoad, conditions.isLoadHigh, !isOff(.load) { found.sure.insert("high-load") }
        if kind == .continued { return found }
        if let rest = rests[work.plugin], rest > now.monotonic, !isOff(.spacing) { found.sure.insert("spacing") }
        if !isOff(.spread) {
            let recent = surges.filter { $0.at + configuration.policies.spread > now.monotonic }
            if recent.contains(where: { !$0.isNetwork || pending.request.requiresNetwork }) {
                found.perhaps.insert("spread")
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

    /// What a clock that was ahead had seen counts no more once something is seen after it; to a quarter of an hour.
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

    /// At least so long between two background launches of a plugin, longer after overruns in a row.
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

    // MARK: Patience (C12)

    private func isPatienceOver(of work: PendingWork, since held: [SubmissionNumber: WallTime]) -> Bool {
        guard !isOff(.patience), case .request = work, let since = held[work.number] else { return false }
        return since + configuration.policies.patience <= now.wall
    }

    /// From the first moment at which nothing but advisory policies stands against it, its deferral counts; a moment that
    /// its class was deferred in counts as well, even if the request itself was in flight or others ran.
    func noteHolds() {
        for request in host.ledger.requests where !host.scheduler.loading.isMissing(request.plugin) {
            // A deferral that ends in the instant in which it began lasts for no time, and covers nothing that comes after it.
            if heldSurely[request.number] == now.wall { heldSurely[request.number] = nil }
            let since = (surely: heldSurely[request.number], perhaps: heldPerhaps[request.number])
            if let surely = since.surely, let perhaps = since.perhaps, max(surely, perhaps) <= now.wall { continue }
            let work = PendingWork.request(request)
            let (found, others) = (obstacles(to: work), passingObstacles(to: work))
            // While a runner is being started the lane is not evaluated: a deferral that began before goes on, for what
            // becomes due meanwhile too.
            let isFrozen =
                prepared(in: work.kind.lane).contains(work.plugin)
                && found.sure.isDisjoint(with: ["earliest-begin", "retry-delay"])
            // The deferral of a class covers those of it that the manifest does not permit at the moment.
            guard isFrozen || found.sure.subtracting(["identifier-not-permitted"]).isSubset(of: Obstacles.soft) else {
                continue
            }
            let isPossible = isFrozen || !Obstacles.lastingSoft.isDisjoint(with: found.sure.union(found.perhaps))
            if isPossible, since.perhaps.map({ $0 > now.wall }) ?? true { heldPerhaps[request.number] = now.wall }
            // A place that was free, or came free, was anybody's until somebody took it in the same moment.
            guard found.sure.isSubset(of: Obstacles.soft),
                others.sure.isSubset(of: roomChangedHands ? ["launch-limit"] : []), !isUnderWay(request)
            else { continue }
            // Who rests or has a place in a spread is looked at when that is over.
            let isAtRest = found.sure.union(found.perhaps).isDisjoint(with: ["spacing", "spread"])
            let isFree = others.sure.isEmpty && !others.perhaps.contains("being-recorded")
            let isSure = isAtRest && isFree && !Obstacles.lastingSoft.isDisjoint(with: found.sure)
            if isSure, since.surely.map({ $0 > now.wall }) ?? true { heldSurely[request.number] = now.wall }
        }
    }
}

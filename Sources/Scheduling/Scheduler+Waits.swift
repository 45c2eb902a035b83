// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The history of the reasons that block classes of work, and the periods in which only advisory policies delay them.
extension Scheduler {
    /// Adds the reasons of the groups of a lane to the wait history. A class of work is recorded as not waiting if it
    /// has no group whose reasons the history may record.
    mutating func noteWaits(
        of plugin: PluginIdentifier,
        in lane: Lane,
        _ groups: [LaneEvaluation.Group],
        at now: Moment
    ) {
        if groups.isEmpty {
            waiters.set([], for: ConditionWaiters.Waiter(plugin: plugin, lane: lane))
            toWatchAnew.insert(plugin)
            if plugins[plugin].waits.isEmpty { return }
        }
        for index in groups.indices where groups.speaksForItsClass(index) {
            note(groups[index], as: groups[index].key.workClass, of: plugin, at: now)
        }
        let quiet = plugins[plugin].waits.keys.filter { workClass in
            workClass.kind.lane == lane
                && !groups.contains { $0.key.workClass == workClass && $0.key.isPlainEnough }
        }
        for workClass in quiet {
            plugins[plugin].waits[workClass]?.note([], at: now)
            if groups.contains(where: { $0.key.workClass == workClass }) {
                plugins[plugin].waits[workClass]?.deferral.end(at: now.wall)
            } else {
                plugins[plugin].waits[workClass]?.deferral.clear()
            }
        }
        awaitWriting(of: plugin, at: now)
    }

    private mutating func note(
        _ group: LaneEvaluation.Group,
        as workClass: WorkClass,
        of plugin: PluginIdentifier,
        at now: Moment
    ) {
        let isDeferred =
            !group.key.isPastDeferral && group.reasons.allSatisfy { $0.isAdvisory }
            && group.reasons.contains { !$0.isMomentary }
        let newestDue = workClass.kind == .event ? now.wall : plugins[plugin].requests.groups.newestDue(of: workClass)
        // While its own time has not come, no other reason is recorded.
        let reasons = group.reasons.contains { $0.isOwnTime } ? [] : group.reasons
        var wait = plugins[plugin].waits[workClass] ?? ClassWait()
        wait.note(reasons, at: now)
        if isDeferred {
            wait.deferral.begin(at: now.wall, newestDue: newestDue)
        } else {
            wait.deferral.end(at: now.wall)
        }
        plugins[plugin].waits[workClass] = wait
    }

    // MARK: Writing

    private mutating func awaitWriting(of plugin: PluginIdentifier, at now: Moment) {
        guard !plugins[plugin].isWritingWaits else { return }
        var first: MonotonicTime?
        for wait in plugins[plugin].waits.values where wait.isChanged {
            first = min(first ?? wait.settlesAt, wait.settlesAt)
        }
        // A change without a new stretch settles now.
        if let first {
            agenda.add(.waits(plugin), at: max(first, now.monotonic))
        } else if plugins[plugin].waits.values.contains(where: { $0.isIdle }) {
            plugins[plugin].waits = plugins[plugin].waits.filter { !$0.value.isIdle }
        }
    }

    /// Writes the reasons that have not changed for a while to the wait history, for all classes of a plugin in one
    /// commit.
    mutating func writeWaits(of plugin: PluginIdentifier, at now: Moment) {
        // A plugin that is being cleared loses its waits with it.
        guard plugins.contains(plugin), !plugins[plugin].isWritingWaits, plugins[plugin].recordState != .clearing,
            !loading.isMissing(plugin)
        else { return }
        var changes: [LedgerChange] = []
        var classes: [WorkClass] = []
        for workClass in plugins[plugin].waits.keys.sorted(by: { $0.code < $1.code }) {
            guard let wait = plugins[plugin].waits[workClass], wait.isChanged, wait.settlesAt <= now.monotonic else {
                continue
            }
            let key = WaitKey(plugin: plugin, workClass: workClass)
            changes += plugins[plugin].waits[workClass]?.changes(of: key) ?? []
            classes.append(workClass)
        }
        if !changes.isEmpty {
            plugins[plugin].isWritingWaits = true
            stage(.waits(plugin, classes), changes)
        } else {
            awaitWriting(of: plugin, at: now)
        }
    }

    mutating func waitsWritten(of plugin: PluginIdentifier, at now: Moment) {
        guard plugins.contains(plugin) else { return }
        plugins[plugin].isWritingWaits = false
        awaitWriting(of: plugin, at: now)
    }

    /// Handles a failed commit of the wait history. The history in the ledger is then unknown, so the present reasons
    /// are written again after a delay.
    mutating func waitsNotWritten(of plugin: PluginIdentifier, _ classes: [WorkClass], at now: Moment) {
        guard plugins.contains(plugin) else { return }
        plugins[plugin].isWritingWaits = false
        for workClass in classes {
            plugins[plugin].waits[workClass]?.wasNotWritten()
            plugins[plugin].waits[workClass]?.settle(after: configuration.hostRetryDelay, at: now)
        }
        awaitWriting(of: plugin, at: now)
    }

    // MARK: Maximum deferral (C12)

    mutating func passDeferral(of plugin: PluginIdentifier, in lane: Lane, at now: Moment) {
        if configuration.policies.off.contains(.maximumDeferral) { return }
        let limit = configuration.policies.maximumDeferral
        let waits = plugins[plugin].waits
        if waits.isEmpty, !plugins[plugin].requests.hasOwnDeferrals { return }
        plugins[plugin].requests.passDeferral(in: lane) { workClass, due, isOwn in
            let start = isOwn ? due : waits[workClass]?.deferral.start(for: due)
            return start.map { $0 + limit <= now.wall } ?? false
        }
    }

    /// Adds an alarm for each group of ready requests: for the time at which the maximum deferral of the group's oldest
    /// deferred request ends. Adds none for a group without a deferral, for a time that has passed, in the event lane,
    /// or when the policy is off.
    mutating func awaitDeferral(
        of groups: [LaneEvaluation.Group],
        _ plugin: PluginIdentifier,
        _ lane: Lane,
        at now: Moment
    ) {
        if lane == .event || configuration.policies.off.contains(.maximumDeferral) { return }
        for group in groups {
            guard let first = plugins[plugin].requests.firstDeferred(in: group.index),
                let start = deferralStart(
                    of: plugin,
                    group.key.workClass,
                    due: first.since,
                    isOwn: group.key.hasOwnDeferral
                )
            else { continue }
            let end = start + configuration.policies.maximumDeferral
            if end > now.wall { agenda.add(.plugin(plugin, lane), at: end) }
        }
    }
}

extension [LaneEvaluation.Group] {
    /// Whether the wait history records the reasons of this group for its class. Of several groups of a class, it
    /// records the group with the lowest `plainness`.
    fileprivate func speaksForItsClass(_ index: Int) -> Bool {
        let key = self[index].key
        guard key.isPlainEnough else { return false }
        return !indices.contains { other in
            other != index && self[other].key.workClass == key.workClass && self[other].key.isPlainEnough
                && (self[other].key.plainness, other) < (key.plainness, index)
        }
    }
}

extension GroupKey {
    /// Whether the wait history may record a group with this key for its class. False for groups of in-flight or
    /// user-requested requests, whose reasons last only for moments.
    fileprivate var isPlainEnough: Bool { !isInFlight && !isUserRequested }
    /// Rank of the key among the keys of its class. The wait history records the group with the lowest rank.
    fileprivate var plainness: Int {
        (isPermitted ? 0 : 4) + (isPastDeferral ? 2 : 0) + (runsAlone ? 1 : 0)
    }
}

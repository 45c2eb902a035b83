// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Changes of the conditions of the machine, and the expirations that they cause.
extension Scheduler {
    /// Applies a change of conditions. Work that waited for a condition may run when the condition holds; the loss of a
    /// condition expires the tasks that need it (C7).
    mutating func change(to new: Conditions, at now: Moment) {
        let old = conditions
        conditions = new
        let changes = new.changes(since: old)
        if changes.isEmpty { return }
        if !old.hasNetwork && new.hasNetwork { noteStartupWave(\.network, at: now) }
        let losses = losses(since: old)
        if !losses.isEmpty {
            for number in launches.numbers { expire(number, for: losses, at: now) }
        }
        for waiter in waiters.waiting(for: changes) { backlog.add(.consider(waiter.plugin, waiter.lane)) }
        if new.isMemoryLow { relievePressure(at: now) }
        guard new.hasNetwork, !fetchesWithoutNetwork.isEmpty else { return }
        let fetching = fetchesWithoutNetwork.sorted()
        fetchesWithoutNetwork = []
        for plugin in fetching { checkFetch(of: plugin, at: now) }
    }

    /// Records the start of a start-up wave. A wave in progress does not start again: otherwise a network link that
    /// comes and goes would delay work without end.
    mutating func noteStartupWave(_ kind: WritableKeyPath<StartupWaves, MonotonicTime?>, at now: Moment) {
        if let last = startupWaves[keyPath: kind], now.monotonic - last < configuration.policies.stagger { return }
        startupWaves[keyPath: kind] = now.monotonic
    }

    /// Expires the tasks of a launch that need a condition lost since `old`, the conditions when the batch was closed.
    /// A condition that did not hold at that time is ignored.
    mutating func expireForConditions(_ number: LaunchNumber, lostSince old: Conditions, at now: Moment) {
        expire(number, for: losses(since: old), at: now)
    }

    private typealias Loss = (reason: ExpirationReason, isNeeded: (PendingWork) -> Bool)

    private mutating func expire(_ number: LaunchNumber, for losses: [Loss], at now: Moment) {
        // During entry no task was delivered; losses are checked when the entry function has returned.
        guard let execution = launches.listening(number), execution.entry == .returned else { return }
        for loss in losses where execution.minds(loss.reason) {
            let bereft = execution.tasks.indices.filter { loss.isNeeded(execution.tasks[$0].work) }
            expire(number, bereft, because: loss.reason, at: now)
        }
    }

    /// The losses since `old` that expire tasks, each with a test for the work that needs the lost condition. The loss
    /// of a condition counts only if its row in the table of conditions (`Condition.row`) names an expiration reason.
    /// The condition idle is left out while its policy is off. The containers that were locked since `old` are one more
    /// loss.
    private func losses(since old: Conditions) -> [Loss] {
        var losses: [Loss] = []
        for condition in Condition.all where old[condition] != conditions[condition] {
            // A trouble expires tasks when it begins, every other condition when it ends.
            guard conditions[condition] == condition.row.traits.contains(.trouble) else { continue }
            guard let reason = condition.row.loss, !isIgnored(condition) else { continue }
            losses.append((reason, { $0.needs(condition) }))
        }
        let locked = conditions.containerLocks.filter { $0.value && old.containerLocks[$0.key] != true }
        if !locked.isEmpty {
            losses.append((.containerLocked, { $0.needsContainerThroughout && locked[$0.plugin] != nil }))
        }
        return losses
    }

    /// Whether the loss of the condition has no effect, because the operator disabled the only policy that needs the
    /// condition.
    private func isIgnored(_ condition: Condition) -> Bool {
        condition == .idle && configuration.policies.off.contains(.idle)
    }
}

extension PendingWork {
    /// Whether the work needs the condition, so that it expires when the condition is lost. False for an event.
    func needs(_ condition: Condition) -> Bool {
        guard case .request(let pending) = self else { return false }
        return condition.isNeeded(by: pending.request)
    }

    var needsContainerThroughout: Bool {
        guard case .request(let pending) = self else { return false }
        return pending.request.kind == .healthResearch && pending.request.protection == .complete
    }
}

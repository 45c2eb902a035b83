// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The action that is due when a time limit of a launch has passed.
enum Enforcement: Hashable, Sendable {
    /// The failed commit of the launch's record is tried again.
    case retryRecord
    /// The budget is used up, or the time limit of the entry function has passed. The tasks of the launch are expired,
    /// except continued tasks, but not before the entry function has returned.
    case useUpBudget
    case kill(Execution.KillReason)
    /// The continued tasks without progress are expired.
    case expireStalled
    /// The assertions that are still open after the last task are expired, because their time limit has passed.
    case expireAssertions

    var isKill: Bool { if case .kill = self { true } else { false } }
}

extension ScheduledLaunch {
    /// Every time limit of the launch with its action. When several limits have passed, the first in the list takes
    /// precedence.
    ///
    /// The alarm of the launch is set to the earliest limit, and the launch thread kills at the earliest limit with a
    /// kill. A host that handles an event late enforces all passed limits.
    var enforcements: [(at: MonotonicTime, action: Enforcement)] {
        var limits: [(MonotonicTime, Enforcement)] = []
        if let retryAt = record.retryAt { limits.append((retryAt, .retryRecord)) }
        switch phase {
        case .preparing, .starting, .ended: break
        case .stopping(let execution, let killTime):
            if execution.isListening { limits.append((killTime, .kill(.lingered))) }
        case .running(let execution):
            if execution.isListening { limits += execution.limits }
        }
        return limits
    }

    var nextEnforcement: MonotonicTime? { enforcements.lazy.map(\.at).min() }

    /// The earliest time limit that kills the launch, unless that limit changes before; nil when no limit kills it. The
    /// launch thread enforces this limit by itself.
    var nextKillTime: MonotonicTime? { enforcements.lazy.filter(\.action.isKill).map(\.at).min() }

    /// The limit with the highest precedence that has passed; nil when none has.
    func enforcement(at now: MonotonicTime) -> Enforcement? { enforcements.first { $0.at <= now }?.action }
}

extension Execution {
    fileprivate var limits: [(MonotonicTime, Enforcement)] {
        var limits = budgetLimits
        for index in unfinished {
            if let killTime = tasks[index].expiration?.killTime { limits.append((killTime, .kill(.overran))) }
        }
        if let killTime = assertions.killTime { limits.append((killTime, .kill(.overran))) }
        if entry == .returned {
            for task in tasks where task.isGoingOn {
                if let stallsAt = task.stallsAt { limits.append((stallsAt, .expireStalled)) }
            }
        }
        if let assertionDeadline, assertions.expiration == nil { limits.append((assertionDeadline, .expireAssertions)) }
        return limits
    }

    /// The limits that the budget sets. The entry function has to return within the budget. In a launch without a
    /// budget it has to return within `LaunchBudget.entryLimit`.
    private var budgetLimits: [(MonotonicTime, Enforcement)] {
        if case .running(let deadline) = entry {
            let use: [(MonotonicTime, Enforcement)] = isBudgetUsedUp ? [] : [(deadline, .useUpBudget)]
            return use + [(plan.budget.killTime(after: deadline), .kill(.entryOverran))]
        }
        let budget = plan.budget
        guard isBoundByBudget, let deadline = budget.deadline, let killTime = budget.killTime else { return [] }
        let use: [(MonotonicTime, Enforcement)] = isBudgetUsedUp ? [] : [(deadline, .useUpBudget)]
        return use + [(killTime, .kill(.overran))]
    }
}

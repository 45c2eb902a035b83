// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What time does to a launch.
enum Enforcement: Hashable, Sendable {
    /// A commit of its record that failed is tried again.
    case retryRecord
    /// The budget, or the time that entry has, is used up: its tasks are told.
    case useUpBudget
    case kill(Execution.KillReason)
    /// Continued tasks without progress are told to stop.
    case expireStalled
    /// What outlasts the last task of a launch without a budget is told to end.
    case expireAssertions

    var isKill: Bool { if case .kill = self { true } else { false } }
}

extension Launch {
    /// Every limit that binds the launch now, in the order in which they are enforced when several have passed.
    ///
    /// The agenda wakes at the earliest, the launch thread kills at the earliest kill, and a late host enforces what has
    /// passed: all three go by this list.
    var enforcements: [(at: MonotonicTime, action: Enforcement)] {
        var limits: [(MonotonicTime, Enforcement)] = []
        if let retryAt = record.retryAt { limits.append((retryAt, .retryRecord)) }
        switch phase {
        case .preparing, .starting, .ended: break
        case .finishing(let execution, let by):
            if execution.isListening { limits.append((by, .kill(.lingered))) }
        case .running(let execution):
            if execution.isListening { limits += execution.limits }
        }
        return limits
    }

    var nextEnforcement: MonotonicTime? { enforcements.lazy.map(\.at).min() }

    /// When the launch thread kills the launch without asking; nil while nothing would have it killed.
    var nextKill: MonotonicTime? { enforcements.lazy.filter(\.action.isKill).map(\.at).min() }

    /// The first limit that has passed.
    func enforcement(at now: MonotonicTime) -> Enforcement? { enforcements.first { $0.at <= now }?.action }
}

extension Execution {
    fileprivate var limits: [(MonotonicTime, Enforcement)] {
        var limits = budgetLimits
        for index in unfinished {
            if let killAt = tasks[index].expiration?.killAt { limits.append((killAt, .kill(.overran))) }
        }
        if let killAt = assertions.killAt { limits.append((killAt, .kill(.overran))) }
        if entry == .returned {
            for task in tasks where task.isGoingOn {
                if let stallsAt = task.stallsAt { limits.append((stallsAt, .expireStalled)) }
            }
        }
        if let assertionDeadline, assertions.expiration == nil { limits.append((assertionDeadline, .expireAssertions)) }
        return limits
    }

    /// Entry has to return within the budget, or without one within the time that a stall is given.
    private var budgetLimits: [(MonotonicTime, Enforcement)] {
        if case .running(let deadline) = entry {
            let use: [(MonotonicTime, Enforcement)] = isBudgetUsedUp ? [] : [(deadline, .useUpBudget)]
            return use + [(deadline + grace, .kill(.entryOverran))]
        }
        guard isBoundByBudget, let deadline = plan.budget.deadline else { return [] }
        let use: [(MonotonicTime, Enforcement)] = isBudgetUsedUp ? [] : [(deadline, .useUpBudget)]
        return use + [(deadline + grace, .kill(.overran))]
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

// Facts about a reason that the scheduler does not have: simulated conditions, and the end of the last launch.
extension WaitingReason {
    init(_ reason: Reason, at now: Moment, in conditions: ConditionsReply, last: TaskWhyReply.LastOutcome?) {
        var message = reason.message
        if conditions.simulation(behind: reason) != nil { message += " (simulated)" }
        if case .retryDelay = reason, let fault = last?.pluginFault { message += "; \(fault.message)" }
        self.init(
            code: reason.code,
            message: message,
            until: reason.end(at: now),
            remedy: ProposedChange(removing: reason, in: conditions, last: last).message
        )
    }
}

extension ProposedChange {
    init(removing reason: Reason, in conditions: ConditionsReply, last: TaskWhyReply.LastOutcome?) {
        var message = reason.remedy
        if let option = conditions.simulation(behind: reason) {
            message = "end the simulation with: bgtask simulate conditions \(option)"
        }
        if case .retryDelay = reason, let fault = last?.pluginFault {
            message = "\(fault.remedy); the host launches the plugin again at the end of the retry delay"
        }
        self.init(code: reason.code, message: message)
    }
}

extension ConditionsReply {
    /// The option of `simulate conditions` that ends the simulation behind a reason; nil when the reason is real.
    fileprivate func simulation(behind reason: Reason) -> String? {
        if case .containerLocked(let plugin) = reason {
            return lockedContainers?[plugin.text]?.source == .simulated ? "--real \(plugin)" : nil
        }
        guard let condition = reason.kind.condition, self[condition].source == .simulated else { return nil }
        return "--\(condition.name) real"
    }
}

extension TaskWhyReply.LastOutcome {
    /// The fault that ended the last launch before it reached the task, as message and remedy; nil for other outcomes.
    fileprivate var pluginFault: (message: String, remedy: String)? {
        switch TaskOutcome(rawValue: outcome) {
        case .loadFailed:
            (
                "the library of the plugin could not be loaded",
                "read the last outcome, correct the library, and install it again"
            )
        case .entryFailed:
            (
                "the plugin failed or overran in its entry function, or while its library was loaded",
                "read the last outcome, correct the plugin, and install it again"
            )
        default: nil
        }
    }
}

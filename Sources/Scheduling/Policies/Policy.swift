// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// One rule about when work is welcome, beside what is possible at all. Each looks at the same facts, alone, and says
/// whether the work may run, should wait, or must not be kept waiting.
///
/// One that says wait is enough to hold work back; one that says must overrules all that do. There are no weights, so that
/// it can always be said what would have to change.
package enum Policy: String, Hashable, Sendable, CaseIterable {
    /// What a person asked for on the spot is not kept waiting.
    case person
    /// What was held back for long enough is not kept waiting any more (C12).
    case patience
    /// Plugins that people use more come first where there is not room for all.
    case use
    /// Rest between a plugin's background launches, longer after overruns.
    case spacing
    /// A plugin's background launches share a running time per day.
    case dayBudget = "day-budget"
    /// What becomes possible for all at once does not begin for all at once.
    case spread
    /// Processing runs while nobody else needs the machine (statement 66, C16).
    case idle
    /// Nothing is added to a machine that is busy.
    case load

    /// How a policy decides.
    enum Rule: Sendable {
        case userRequest
        case maximumDeferral
        case use
        case spacing
        case dayBudget
        case spread
        case condition(ConditionRule)
    }

    /// Delays work while a trouble lasts, or while any other condition is missing.
    struct ConditionRule: Sendable {
        enum Concern: Sendable {
            case processing
            /// Requests of every kind, except for those that the policy `idle` delays anyway.
            case requestsNotForIdle
        }

        let condition: Condition
        let reason: Reason
        let concern: Concern
        /// Texts for `why`: the condition holds, and it does not.
        let holds: String
        let lacks: String
    }

    var rule: Rule {
        switch self {
        case .person: .userRequest
        case .patience: .maximumDeferral
        case .use: .use
        case .spacing: .spacing
        case .dayBudget: .dayBudget
        case .spread: .spread
        case .idle:
            .condition(
                ConditionRule(
                    condition: .idle,
                    reason: .notIdle,
                    concern: .processing,
                    holds: "the machine is idle",
                    lacks: "the machine is in use"
                )
            )
        case .load:
            .condition(
                ConditionRule(
                    condition: .highLoad,
                    reason: .highLoad,
                    concern: .requestsNotForIdle,
                    holds: "the processors are busy",
                    lacks: "the processors are not known to be busy"
                )
            )
        }
    }

    /// What a policy may look at. Nothing here is a clock or a sensor: the same facts give the same verdict.
    package struct Facts: Sendable {
        package var work: PendingWork
        package var isUserRequested: Bool
        package var standing: Eligibility.Standing
        package var surges: Surges
        package var conditions: Conditions
        package var configuration: SchedulingConfiguration
        package var now: Moment
    }

    package enum Verdict: Hashable, Sendable {
        case may
        case wait(Reason)
        case must

        package var name: String {
            switch self {
            case .may: "may"
            case .wait: "wait"
            case .must: "must"
            }
        }
    }

    /// `may` where the operator switched it off.
    package func verdict(on facts: Facts) -> Verdict {
        if facts.configuration.policies.off.contains(self) { return .may }
        return switch rule {
        case .userRequest: facts.isUserRequested ? .must : .may
        case .maximumDeferral: facts.isPatienceOver ? .must : .may
        case .use: .may
        case .spacing: facts.spacing
        case .dayBudget: facts.dayBudget
        case .spread: facts.spread
        case .condition(let rule): facts.verdict(by: rule)
        }
    }

    /// What all of them together hold against the work.
    static func reasons(on facts: Facts) -> [Reason] {
        var reasons: [Reason] = []
        for policy in allCases {
            switch policy.verdict(on: facts) {
            case .may: continue
            case .wait(let reason): reasons.append(reason)
            case .must: return []
            }
        }
        return reasons
    }

    package static func verdicts(on facts: Facts) -> [PolicyVerdict] {
        allCases.map {
            PolicyVerdict(policy: $0, verdict: $0.verdict(on: facts), rationale: $0.rationale(on: facts))
        }
    }
}

/// What one policy says of one request, as `task why` shows it.
package struct PolicyVerdict: Hashable, Sendable {
    package let policy: Policy
    package let verdict: Policy.Verdict
    /// The facts that it went by.
    package let rationale: String
}

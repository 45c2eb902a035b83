// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A rule that may delay work which could otherwise run. Each policy evaluates the same facts independently; its
/// verdict is `may`, `wait` or `must`.
///
/// One `wait` delays the work; one `must` overrides every `wait`. Policies have no weights, so `why` can always name
/// the change that would end a delay.
package enum Policy: String, Hashable, Sendable, CaseIterable {
    /// Work that a user requested is not delayed by any policy.
    case user
    /// No policy delays a request beyond its maximum deferral (C12).
    case maximumDeferral = "maximum-deferral"
    /// When capacity is short, plugins that users use more come first. Where the host learns use, a plugin's own
    /// refresh requests are spaced more widely while no use is expected, and most widely for a plugin without use.
    case use
    /// A background launch of a plugin waits for a cooldown after the previous one. The cooldown is longer after
    /// overruns, and for requests of some kinds that the plugin itself submitted.
    case spacing
    /// The background launches of a plugin share a running time per day.
    case dayBudget = "day-budget"
    /// After a start-up wave, the background launches of different plugins are staggered.
    case stagger
    /// Processing and health research wait for an idle machine (statement 66, C16).
    case idle
    /// Requests wait while the processors are busy. Events never wait for this policy; processing and health research
    /// wait for it only when the policy `idle` is off.
    case load
    /// Background requests wait while the battery is low and the machine is not on external power.
    case battery
    /// Background requests wait while the machine is in power-saver mode.
    case powerSaver = "power-saver"

    /// The computation of a policy's verdict.
    enum Rule: Sendable {
        case userRequest
        case maximumDeferral
        case use
        case spacing
        case dayBudget
        case stagger
        case condition(ConditionRule)
    }

    /// A rule about one condition. If the condition has the trait `trouble`, the rule delays work while the condition
    /// holds; if not, while the condition does not hold.
    struct ConditionRule: Sendable {
        enum Concern: Sendable {
            case processing
            /// Requests of the background lane, which no user waits for.
            case background
            /// Requests of every kind. Processing and health research are excepted while the policy `idle` is on, which
            /// delays them already.
            case requestsNotForIdle
        }

        let condition: Condition
        let reason: Reason
        let concern: Concern
        /// Rationale that `why` shows while the condition holds. `lacks` is the rationale while it does not hold.
        let holds: String
        let lacks: String
    }

    var rule: Rule {
        switch self {
        case .user: .userRequest
        case .maximumDeferral: .maximumDeferral
        case .use: .use
        case .spacing: .spacing
        case .dayBudget: .dayBudget
        case .stagger: .stagger
        case .idle:
            .condition(
                ConditionRule(
                    condition: .idle,
                    reason: .notIdle,
                    concern: .processing,
                    holds: "the machine is idle",
                    lacks: "the machine is not known to be idle"
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
        case .battery:
            .condition(
                ConditionRule(
                    condition: .batteryLow,
                    reason: .batteryLow,
                    concern: .background,
                    holds: "the battery is low and the machine is not on external power",
                    lacks: "the battery is not known to be low, or the machine is on external power"
                )
            )
        case .powerSaver:
            .condition(
                ConditionRule(
                    condition: .powerSaver,
                    reason: .powerSaver,
                    concern: .background,
                    holds: "the machine is in power-saver mode",
                    lacks: "the machine is not known to be in power-saver mode"
                )
            )
        }
    }

    /// The facts that a policy may use. They contain no clock and no sensor: the same facts give the same verdict.
    package struct Facts: Sendable {
        package var work: PendingWork
        package var isUserRequested: Bool
        package var standing: Eligibility.Standing
        package var startupWaves: StartupWaves
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

    /// The policy's verdict; `may` when the operator disabled the policy.
    package func verdict(on facts: Facts) -> Verdict {
        if facts.configuration.policies.off.contains(self) { return .may }
        return switch rule {
        case .userRequest: facts.isUserRequested ? .must : .may
        case .maximumDeferral: facts.isMaximumDeferralOver ? .must : .may
        case .use: facts.use
        case .spacing: facts.spacing
        case .dayBudget: facts.dayBudget
        case .stagger: facts.stagger
        case .condition(let rule): facts.verdict(by: rule)
        }
    }

    /// The reasons of all policies with the verdict `wait`; empty when a policy has the verdict `must`.
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

/// The verdict of one policy on one request or event, as `why` shows it.
package struct PolicyVerdict: Hashable, Sendable {
    package let policy: Policy
    package let verdict: Policy.Verdict
    /// The rationale of the verdict: the facts behind it, as shown to users.
    package let rationale: String
}

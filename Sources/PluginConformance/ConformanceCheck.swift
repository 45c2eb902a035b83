// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginTrial
package import TaskModel

/// One check that runs the plugin: its trials, and the judgement of their logs. A value without state.
package struct ConformanceCheck: Sendable {
    /// The origin of the rule that a check proves.
    package enum Rule: Hashable, Sendable {
        case abi(ABIRule)
        /// A rule about manifests, not one of the ABI: for example, that the grants suffice for the plugin's calls.
        case manifest

        package var name: String {
            switch self {
            case .abi(let rule): rule.rawValue
            case .manifest: "manifest"
            }
        }
    }

    /// The trials of a check for one plugin.
    package enum Trials: Sendable {
        case scripts([TrialScript])
        /// The check does not apply to the plugin; the value is the reason.
        case inapplicable(String)
    }

    package let name: String
    package let level: Int
    package let rule: Rule
    /// The statement that is true when the check passes.
    package let promise: String
    package let remedy: String
    /// Names of the checks before this one. It is skipped when one of them fails, because the same defect could fail
    /// this check too. It is also skipped when one of them could not be performed, or was itself skipped for such a
    /// cause.
    package let needs: [String]
    package let trials: @Sendable (ConformancePlugin) -> Trials
    /// The flaws that the logs of the trials show, in the order of the scripts.
    package let judge: @Sendable (_ logs: [TrialLog], _ plugin: ConformancePlugin) -> [ConformanceFlaw]

    init(
        _ name: String,
        level: Int,
        rule: Rule,
        _ promise: String,
        remedy: String,
        needs: [String],
        trials: @escaping @Sendable (ConformancePlugin) -> Trials = { .scripts([$0.standard]) },
        judge: @escaping @Sendable (_ logs: [TrialLog], _ plugin: ConformancePlugin) -> [ConformanceFlaw]
    ) {
        self.name = name
        self.level = level
        self.rule = rule
        self.promise = promise
        self.remedy = remedy
        self.needs = needs
        self.trials = trials
        self.judge = judge
    }

    /// A check for one kind of violation in every ordinary launch. Its flaws are the violations in the first launch
    /// that has any: one defect often causes violations in several launches, which differ only in numbers of tasks.
    init(
        _ name: String,
        level: Int,
        rule: Rule,
        _ promise: String,
        violation kind: ViolationKind,
        remedy: String,
        needs: [String]
    ) {
        self.init(
            name,
            level: level,
            rule: rule,
            promise,
            remedy: remedy,
            needs: needs,
            trials: { .scripts($0.ordinary) }
        ) { logs, _ in logs.lazy.map { $0.violations(kind) }.first { !$0.isEmpty } ?? [] }
    }

    /// All checks, each after those that it needs.
    package static let all: [ConformanceCheck] =
        entryChecks + registrationChecks + completionChecks + processChecks + expirationChecks + requestChecks
        + pushChecks + endChecks + growthChecks + robustnessChecks + shortageChecks

    /// The highest level with checks.
    package static var highestLevel: Int { all.map(\.level).max() ?? 0 }
}

/// An observation of a check in its trials: a contradiction to the promise of the check, a failed measurement, or a
/// warning.
package struct ConformanceFlaw: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case fault
        case crash
        case exit
        case leak
        /// The plugin was too slow. A check with such a flaw is repeated with longer limits, because the machine may be
        /// slow.
        case time
        /// A quantity that the check judges, such as the number of open descriptors, could not be measured, for a cause
        /// outside of the plugin.
        case unmeasured
        /// A flaw that is only a warning. A check with such flaws alone has the result `warn`.
        case remark
    }

    package let kind: Kind
    package let seen: String

    package init(_ kind: Kind, _ seen: String) {
        self.kind = kind
        self.seen = seen
    }
}

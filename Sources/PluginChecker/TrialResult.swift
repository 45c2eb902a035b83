// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The result of one check that runs the plugin, of level 1 or above.
package struct TrialResult: Hashable, Sendable, Encodable {
    package enum Outcome: String, Hashable, Sendable, Encodable, CaseIterable {
        case pass
        /// The plugin breaks no rule, but its author may be surprised by the effect.
        case warn
        case fail
        /// The process crashed.
        case crash
        /// The plugin did not act in time.
        case timeout
        /// The process ended itself.
        case exitedEarly = "exited-early"
        /// The plugin left a resource behind.
        case leak
        /// The check does not apply to the plugin, is outside of the profile, or needs a check that did not pass.
        case skip
        /// The check was not selected.
        case excluded
        /// The check could not be performed, for a cause outside of the plugin.
        case checkerError = "checker-error"

        /// Whether a plugin with this outcome of a check does not conform.
        package var isFailure: Bool {
            switch self {
            case .fail, .crash, .timeout, .exitedEarly, .leak: true
            case .pass, .warn, .skip, .excluded, .checkerError: false
            }
        }
    }

    package let check: String
    package let level: Int
    /// The rule of the ABI that the check proves, or "manifest".
    package let rule: String
    package let outcome: Outcome
    /// The reason for skipping or excluding the check, or for the failure of the checker; nil for other outcomes.
    package let reason: String?
    /// The statement that is true when the check passes.
    package let expected: String
    /// The events that contradict `expected`; empty without any, as when the check passed.
    package let seen: [String]
    /// The remedy for the events in `seen`; nil without any.
    package let remedy: String?
    /// Whether the check does not apply to the plugin or is outside of the profile. Checks that need this one run all
    /// the same.
    package let isInapplicable: Bool

    package init(
        check: String,
        level: Int,
        rule: String,
        _ outcome: Outcome,
        reason: String? = nil,
        expected: String,
        seen: [String] = [],
        remedy: String? = nil,
        isInapplicable: Bool = false
    ) {
        self.check = check
        self.level = level
        self.rule = rule
        self.outcome = outcome
        self.reason = reason
        self.expected = expected
        self.seen = seen
        self.remedy = remedy
        self.isInapplicable = isInapplicable
    }

    private enum CodingKeys: String, CodingKey {
        case check, level, rule, reason, expected, seen, remedy
        case outcome = "result"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The return type of a bound function, with the rule for success.
package enum FunctionResult: Hashable, Sendable {
    /// A function without a result: the task succeeds whenever the function returns.
    case void
    case int32(SuccessRule)
    case int64(SuccessRule)
    /// A function that returns a pointer: the task succeeds unless the pointer is NULL.
    case pointer

    package enum SuccessRule: String, Hashable, Sendable, CaseIterable {
        case zero = "success-when-zero"
        case nonzero = "success-when-nonzero"
        case nonnegative = "success-when-nonnegative"

        package func accepts(_ value: Int64) -> Bool {
            switch self {
            case .zero: value == 0
            case .nonzero: value != 0
            case .nonnegative: value >= 0
            }
        }
    }

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case void, int32, int64, pointer

        /// The success rules that a manifest can write after this kind of result; empty for a kind without rules.
        package var rules: [String] {
            switch self {
            case .void: []
            case .int32, .int64: SuccessRule.allCases.map(\.rawValue)
            case .pointer: [FunctionResult.pointerRule]
            }
        }
    }

    private static let pointerRule = "success-when-non-null"

    /// Creates the result of a kind. Nil when the kind does not have the rule, or when the kind requires a rule and
    /// `rule` is nil.
    package init?(_ kind: Kind, rule: String?) {
        switch (kind, rule) {
        case (.void, nil): self = .void
        case (.pointer, Self.pointerRule): self = .pointer
        case (.int32, let rule?):
            guard let rule = SuccessRule(rawValue: rule) else { return nil }
            self = .int32(rule)
        case (.int64, let rule?):
            guard let rule = SuccessRule(rawValue: rule) else { return nil }
            self = .int64(rule)
        default: return nil
        }
    }

    package var kind: Kind {
        switch self {
        case .void: .void
        case .int32: .int32
        case .int64: .int64
        case .pointer: .pointer
        }
    }

    /// The success rule in the notation of a manifest; nil for a kind without rules.
    package var rule: String? {
        switch self {
        case .void: nil
        case .int32(let rule), .int64(let rule): rule.rawValue
        case .pointer: Self.pointerRule
        }
    }

    /// The return type in C.
    package var type: String {
        switch self {
        case .void: "void"
        case .int32: "int32_t"
        case .int64: "int64_t"
        case .pointer: "void *"
        }
    }
}

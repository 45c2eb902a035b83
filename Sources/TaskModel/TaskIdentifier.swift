// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reverse-DNS name of a task, matched exactly and case-sensitively (statement 9).
package struct TaskIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// Creates an identifier; nil when `text` violates the rule. `ReverseDNSName.problem(in:)` returns the violation.
    package init?(_ text: String) {
        guard ReverseDNSName.problem(in: text) == nil else { return nil }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// One line of a manifest's permitted identifiers: a name, or a pattern that ends in `.*`.
///
/// Patterns permit only continued tasks, unless the operator allows them for processing (C9).
package enum PermittedIdentifier: Hashable, Sendable, CustomStringConvertible {
    case exact(TaskIdentifier)
    /// A pattern; `prefix` is the pattern without its `.*`.
    case pattern(prefix: TaskIdentifier)

    /// Creates a permitted identifier; nil when `text` is neither a name nor a name followed by `.*`.
    package init?(_ text: String) {
        if text.hasSuffix(".*") {
            guard let prefix = TaskIdentifier(String(text.dropLast(2))) else { return nil }
            self = .pattern(prefix: prefix)
        } else {
            guard let name = TaskIdentifier(text) else { return nil }
            self = .exact(name)
        }
    }

    package var description: String {
        switch self {
        case .exact(let name): name.text
        case .pattern(let prefix): prefix.text + ".*"
        }
    }

    /// Whether the identifier equals the name, or matches the pattern with a suffix in place of the star.
    package func covers(_ identifier: TaskIdentifier) -> Bool {
        switch self {
        case .exact(let name): name == identifier
        case .pattern(let prefix): identifier.text.hasPrefix(prefix.text + ".")
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The name of a host or of a group of hosts.
package struct FleetName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let maximumLength = FleetNameRule.maximumLength

    /// The group that contains every host.
    package static let all = FleetName(unchecked: "all")

    package let text: String

    /// Creates a name; nil when `text` violates the rule. `flaw(in:)` returns the violation.
    package init?(_ text: String) {
        guard Self.flaw(in: text) == nil else { return nil }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// The violated rule and its remedy, in words that follow the name; nil for a valid name.
    package static func flaw(in text: String) -> String? { FleetNameRule.flaw(in: text) }
}

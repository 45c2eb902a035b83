// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reverse-DNS name of a plugin, main or extension.
package struct PluginIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String
    /// The stored hash of `text`, because the scheduler looks up plugins dozens of times per event.
    private let textHash: Int

    /// Creates an identifier; nil when `text` violates the rule. `ReverseDNSName.flaw(in:)` returns the violation.
    package init?(_ text: String) {
        guard ReverseDNSName.flaw(in: text) == nil else { return nil }
        self.init(unchecked: text)
    }

    private init(unchecked text: String) {
        self.text = text
        textHash = text.hashValue
    }

    /// A placeholder that no plugin can have as its identifier.
    package static let none = PluginIdentifier(unchecked: "")

    package var description: String { text }

    package func hash(into hasher: inout Hasher) { hasher.combine(textHash) }

    package static func == (left: Self, right: Self) -> Bool {
        left.textHash == right.textHash && left.text == right.text
    }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

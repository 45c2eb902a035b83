// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The name of a task, matched exactly and case-sensitively (statement 9): a reverse-DNS name, or one label that is not
/// the name of an event, or the name of a plugin's push or of one of its transfers.
package struct TaskIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// Creates an identifier; nil when `text` violates the rule. `flaw(in:)` returns the violation.
    package init?(_ text: String) {
        let isValid =
            Self.isOfHost(text)
            ? Self.pushedPlugin(in: text) != nil || Self.transfer(in: text) != nil : Self.flaw(in: text) == nil
        guard isValid else { return nil }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    // MARK: Pushes

    static let pushSuffix = ":push"

    /// The identifier of the waiting push of a plugin, such as `com.example.feed:push`. No manifest can permit it,
    /// because the name of a task has no colon.
    package static func push(to plugin: PluginIdentifier) -> TaskIdentifier {
        TaskIdentifier(unchecked: plugin.text + pushSuffix)
    }

    /// The plugin whose push has this identifier; nil for the identifier of a task.
    package var pushedPlugin: PluginIdentifier? { Self.pushedPlugin(in: text) }

    private static func pushedPlugin(in text: String) -> PluginIdentifier? {
        text.hasSuffix(pushSuffix) ? PluginIdentifier(String(text.dropLast(pushSuffix.count))) : nil
    }

    // MARK: Transfers

    static let transferInfix = ":transfer:"

    /// The identifier of a transfer of a plugin, such as `com.example.feed:transfer:12`; `number` is that of its
    /// submission.
    package static func transfer(_ number: SubmissionNumber, of plugin: PluginIdentifier) -> TaskIdentifier {
        TaskIdentifier(unchecked: plugin.text + transferInfix + number.description)
    }

    /// The identifier for which the transfer library registers its handler.
    package static let transferHandler = TaskIdentifier(unchecked: "bgtask.transfer")

    /// The plugin and the number of the transfer with this identifier; nil for other identifiers.
    package var transfer: (plugin: PluginIdentifier, number: SubmissionNumber)? { Self.transfer(in: text) }

    /// Whether the identifier is that of a push or a transfer. No manifest can permit such an identifier.
    package var isOfHost: Bool { Self.isOfHost(text) }

    /// Compares bytes, because every submission asks: the comparison of characters costs a tenth of its instructions.
    private static func isOfHost(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: ":")) }

    private static func transfer(in text: String) -> (plugin: PluginIdentifier, number: SubmissionNumber)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix(transferInfix),
            let plugin = PluginIdentifier(String(text[..<colon])),
            let number = Int64(text[colon...].dropFirst(transferInfix.count)), number > 0
        else { return nil }
        let identifier = SubmissionNumber(rawValue: number)
        return transfer(identifier, of: plugin).text == text ? (plugin, identifier) : nil
    }

    // MARK: Rules

    /// The flaw of an invalid identifier of a task; nil when the identifier is valid.
    package static func flaw(in text: String) -> ReverseDNSName.Flaw? {
        ReverseDNSName.flaw(in: text, allowsOneLabel: true)
    }

    /// Whether the identifier has one label. Identifiers of two plugins are then more likely to be equal.
    package var hasOneLabel: Bool { !text.utf8.contains(UInt8(ascii: ".")) }

    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

/// One line of a manifest's permitted identifiers: a name, or a pattern that ends in `.*` after at least two labels.
///
/// Patterns permit only continued tasks, unless the operator allows them for processing and health research (C9).
package enum PermittedIdentifier: Hashable, Sendable, CustomStringConvertible {
    case exact(TaskIdentifier)
    /// A pattern; `prefix` is the pattern without its `.*`.
    case pattern(prefix: TaskIdentifier)

    /// Creates a permitted identifier; nil when `text` is neither a name nor a name followed by `.*`.
    package init?(_ text: String) {
        if text.hasSuffix(".*") {
            guard let prefix = TaskIdentifier(String(text.dropLast(2))), !prefix.hasOneLabel, !prefix.isOfHost
            else { return nil }
            self = .pattern(prefix: prefix)
        } else {
            guard let name = TaskIdentifier(text), !name.isOfHost else { return nil }
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
        case .pattern(let prefix):
            identifier.text.hasPrefix(prefix.text + ".") && !identifier.isOfHost
        }
    }
}

extension [PermittedIdentifier] {
    /// Whether the list permits an identifier, or a registration for it, by name or by pattern.
    package func permits(_ identifier: TaskIdentifier) -> Bool { contains { $0.covers(identifier) } }

    /// Whether a handler may be registered for the name: a permitted name, a name that a permitted pattern covers, or
    /// the pattern itself.
    package func permits(_ registered: PermittedIdentifier) -> Bool {
        switch registered {
        case .exact(let name): permits(name)
        case .pattern: contains(registered)
        }
    }
}

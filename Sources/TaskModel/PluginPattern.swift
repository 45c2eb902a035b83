// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A pattern of plugin identifiers: `*` for all, an identifier, or an identifier with `.*` for the identifiers below
/// it.
package struct PluginPattern: Hashable, Sendable, CustomStringConvertible {
    /// The identifier before `.*`, or the whole identifier; nil for `*`.
    private let identifier: PluginIdentifier?
    private let isPrefix: Bool

    /// Creates the pattern that a text describes; nil for another text.
    package init?(_ text: String) {
        isPrefix = text == "*" || text.hasSuffix(".*")
        if text == "*" {
            identifier = nil
        } else {
            guard let name = PluginIdentifier(isPrefix ? String(text.dropLast(2)) : text) else { return nil }
            identifier = name
        }
    }

    package func matches(_ plugin: PluginIdentifier) -> Bool {
        guard let identifier else { return true }
        return isPrefix ? plugin.text.hasPrefix(identifier.text + ".") : plugin == identifier
    }

    package var description: String {
        guard let identifier else { return "*" }
        return isPrefix ? "\(identifier).*" : identifier.text
    }
}

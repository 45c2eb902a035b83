// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

/// One value of a YAML file with its position: text, a list, a mapping or a refused value.
package struct YAMLNode {
    package enum Content {
        /// A single value. A quoted text is never a number, a boolean or null.
        case text(String, isQuoted: Bool)
        case list([YAMLNode])
        case mapping([YAMLEntry])
        /// An invalid value that was already reported and is not read.
        case refused
    }

    package let content: Content
    package let position: TextPosition?

    /// Whether the node is a null value: an unquoted `~`, `null`, `Null` or `NULL`, or an empty value as in `key:`.
    package var isNothing: Bool {
        guard case .text(let text, isQuoted: false) = content else { return false }
        return text.isEmpty || Self.wordsForNothing.contains(text)
    }

    static let wordsForNothing: Set = ["~", "null", "Null", "NULL"]

    /// Description of the value for messages: the text in quotes, or the name of the type.
    var kindName: String {
        switch content {
        case .text where isNothing: "nothing"
        case .text(let text, _): "\(text.inQuotes)"
        case .list: "a list"
        case .mapping: "a mapping"
        case .refused: "an invalid value"
        }
    }
}

package struct YAMLEntry {
    package let key: String
    package let position: TextPosition?
    package let value: YAMLNode
}

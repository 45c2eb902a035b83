// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import PluginBinary

/// One value of a YAML file with its place: text, a list or a mapping. Knows no types beyond that.
struct YAMLNode {
    enum Content {
        /// Quoted text is never a number, a boolean or nothing.
        case text(String, isQuoted: Bool)
        case list([YAMLNode])
        case mapping([YAMLEntry])
        /// Something that was reported already, and that nothing is read from.
        case refused
    }

    let content: Content
    let position: TextPosition?

    /// What stands there when nothing stands there: `key:`, `~` or `null`.
    var isNothing: Bool {
        guard case .text(let text, isQuoted: false) = content else { return false }
        return text.isEmpty || Self.wordsForNothing.contains(text)
    }

    static let wordsForNothing: Set = ["~", "null", "Null", "NULL"]

    /// For messages about the wrong type.
    var kindName: String {
        switch content {
        case .text where isNothing: "nothing"
        case .text(let text, _): "\(text.inQuotes)"
        case .list: "a list"
        case .mapping: "a mapping"
        case .refused: "something else"
        }
    }
}

struct YAMLEntry {
    let key: String
    let position: TextPosition?
    let value: YAMLNode
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Which main plugin a task identifier belongs to: one each (statement 21).
struct IdentifierOwners: Sendable {
    private var names: [TaskIdentifier: PluginIdentifier] = [:]
    private var prefixes: [TaskIdentifier: PluginIdentifier] = [:]

    init() {}

    init(entries: [PluginEntry]) {
        for entry in entries where entry.role == .main {
            for permitted in entry.permitted {
                switch permitted {
                case .exact(let name): names[name] = entry.identifier
                case .pattern(let prefix): prefixes[prefix] = entry.identifier
                }
            }
        }
    }

    subscript(identifier: TaskIdentifier) -> PluginIdentifier? {
        if let owner = names[identifier] { return owner }
        if prefixes.isEmpty { return nil }
        var text = identifier.text[...]
        while let dot = text.lastIndex(of: ".") {
            text = text[..<dot]
            if let prefix = TaskIdentifier(String(text)), let owner = prefixes[prefix] { return owner }
        }
        return nil
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The main plugin that owns each permitted task identifier. An identifier has exactly one owner (statement 21).
struct IdentifierOwners: Sendable {
    private var names: [TaskIdentifier: PluginIdentifier] = [:]
    private var prefixes: [Substring: PluginIdentifier] = [:]

    init() {}

    mutating func add(_ entry: PluginEntry) {
        guard entry.role == .main else { return }
        for permitted in entry.permitted {
            switch permitted {
            case .exact(let name): names[name] = entry.identifier
            case .pattern(let prefix): prefixes[prefix.text[...]] = entry.identifier
            }
        }
    }

    /// Removes the identifiers of a plugin that was removed or whose manifest has changed. Identifiers that another
    /// plugin owns stay.
    mutating func remove(_ entry: PluginEntry) {
        for permitted in entry.permitted {
            switch permitted {
            case .exact(let name): if names[name] == entry.identifier { names[name] = nil }
            case .pattern(let prefix): forget(prefix.text[...], of: entry.identifier)
            }
        }
    }

    /// The owner of an identifier; nil without one. The owner of a push is its plugin, whether installed or not.
    subscript(identifier: TaskIdentifier) -> PluginIdentifier? {
        if let owner = names[identifier] { return owner }
        if let plugin = identifier.pushedPlugin { return plugin }
        if prefixes.isEmpty { return nil }
        return identifier.prefixes.lazy.compactMap { prefixes[$0] }.first
    }

    private mutating func forget(_ prefix: Substring, of owner: PluginIdentifier) {
        if prefixes[prefix] == owner { prefixes[prefix] = nil }
    }
}

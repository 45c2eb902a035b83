// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The permitted identifiers of one plugin, in sets for fast lookup.
package struct Permissions: Sendable {
    private var names: Set<TaskIdentifier> = []
    private var prefixes: Set<Substring> = []
    private let plugin: PluginIdentifier
    private let allowsPatternsForProcessing: Bool

    package init(of entry: PluginEntry, policy: PluginPolicy) {
        plugin = entry.identifier
        allowsPatternsForProcessing = policy.allowsPatternsForProcessing
        for permitted in entry.permitted {
            switch permitted {
            case .exact(let name): names.insert(name)
            case .pattern(let prefix): prefixes.insert(prefix.text[...])
            }
        }
    }

    /// Whether the identifier is permitted for the kind. Patterns permit continued requests, and processing and health
    /// research where the operator allows it (C9). The push of the plugin needs only its background mode.
    package func permits(_ identifier: TaskIdentifier, as kind: TaskKind) -> Bool {
        if kind == .push { return identifier.pushedPlugin == plugin }
        if kind == .transfer { return identifier.transfer?.plugin == plugin }
        if names.contains(identifier) { return true }
        guard !prefixes.isEmpty, kind == .continued || kind.isProcessing && allowsPatternsForProcessing else {
            return false
        }
        return identifier.prefixes.contains(where: prefixes.contains)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The plugins of one replay, in the order of display.
package struct PluginPopulation: Hashable, Sendable {
    package var plugins: [ModelPlugin]

    package init(_ plugins: [ModelPlugin]) { self.plugins = plugins }

    /// The catalogue entries of all plugins and extensions.
    var entries: [PluginEntry] { plugins.flatMap { [entry(of: $0)] + $0.extensions.map { entry(of: $0) } } }

    /// A random plugin for a user action, and a random one of its `choices`. The plugins are weighted by `use`. Nil
    /// when no plugin has both choices and a positive weight.
    func choose<Choice>(
        _ chance: inout SeededGenerator,
        among choices: (ModelPlugin) -> [Choice]
    ) -> (plugin: ModelPlugin, choice: Choice)? {
        let candidates = plugins.map { (plugin: $0, choices: choices($0)) }.filter { !$0.choices.isEmpty }
        let total = candidates.reduce(0) { $0 + $1.plugin.use }
        guard total > 0 else { return nil }
        var place = Int.random(in: 0..<total, using: &chance)
        for candidate in candidates {
            if place < candidate.plugin.use {
                return candidate.choices.randomElement(using: &chance).map { (candidate.plugin, $0) }
            }
            place -= candidate.plugin.use
        }
        return nil
    }

    private func entry(of plugin: ModelPlugin) -> PluginEntry {
        let kinds = Set(plugin.tasks.map(\.kind))
        var modes: Set<BackgroundMode> = []
        if kinds.contains(.refresh) { modes.insert(.fetch) }
        if kinds.contains(where: \.isProcessing) { modes.insert(.processing) }
        if kinds.contains(.push) { modes.insert(.remoteNotification) }
        return entry(
            plugin.identifier,
            role: .main,
            extensions: plugin.extensions.map(\.identifier),
            permitted: plugin.tasks.filter { $0.kind != .push }.map { .exact($0.identifier) },
            retries: Dictionary(plugin.tasks.compactMap { task in task.retry.map { (.exact(task.identifier), $0) } }) {
                first,
                _ in first
            },
            modes: modes,
            entitlements: kinds.contains(.healthResearch) ? [.healthResearch] : []
        )
    }

    private func entry(of extension: ModelExtension) -> PluginEntry {
        let main = plugins.first { $0.extensions.contains(`extension`) }
        return entry(`extension`.identifier, role: .extension, containingPlugin: main?.identifier)
    }

    private func entry(
        _ identifier: PluginIdentifier,
        role: PluginRole,
        containingPlugin: PluginIdentifier? = nil,
        extensions: [PluginIdentifier] = [],
        permitted: [PermittedIdentifier] = [],
        retries: [PermittedIdentifier: FailureRetry] = [:],
        modes: Set<BackgroundMode> = [],
        entitlements: Set<Entitlement> = []
    ) -> PluginEntry {
        PluginEntry(
            identifier: identifier,
            name: identifier.text,
            version: "1.0",
            role: role,
            containingPlugin: containingPlugin,
            extensions: extensions,
            permitted: permitted,
            modes: modes,
            entitlements: entitlements,
            retries: retries,
            // A placeholder: a replay opens no library.
            library: LibraryFile(
                path: "",
                digest: "",
                identity: FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)
            ),
            manifestPath: "",
            manifestDigest: ""
        )
    }
}

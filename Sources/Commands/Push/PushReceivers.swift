// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import PushGateway
import TaskModel

/// Compares the plugins of keys and webhooks with those of the host. A pattern without a plugin is no error: the plugin
/// may be installed later.
enum PushReceivers {
    /// The remarks about patterns that select no plugin of the host; none when the host does not list all plugins.
    static func remarks(about patterns: [PluginPattern], on client: ControlClient) async -> [String] {
        guard let list = try? await client.plugins(), !list.isPartial else { return [] }
        return remarks(about: patterns, known: list.plugins.map(\.identifier) + list.refused.compactMap(\.identifier))
    }

    static func remarks(about patterns: [PluginPattern], known: [String]) -> [String] {
        let plugins = known.compactMap(PluginIdentifier.init)
        let missing = patterns.filter { pattern in !plugins.contains(where: pattern.matches) }.map(\.description)
        return Set(missing).subtracting(["*"]).sorted().map { remark(about: $0, known: known) }
    }

    private static func remark(about pattern: String, known: [String]) -> String {
        let isPrefix = pattern.hasSuffix(".*")
        let nearest = NearestWord.to(pattern, among: isPrefix ? known.flatMap(prefixes) : known)
        let remedy = nearest.map { "; " + NearestWord.remedy(nearest: $0, meaning: isPrefix ? "pattern" : "plugin") }
        let fact = isPrefix ? "no plugin that matches \(pattern) is installed" : "no plugin \(pattern) is installed"
        return "\(fact), and its pushes are refused until its installation\(remedy ?? "")"
    }

    /// The patterns for the plugins below each part of an identifier.
    private static func prefixes(of plugin: String) -> [String] {
        let parts = plugin.split(separator: ".")
        return parts.indices.dropFirst().map { parts[..<$0].joined(separator: ".") + ".*" }
    }
}

extension KeySet {
    /// The plugins to which the keys and webhooks may push.
    var patterns: [PluginPattern] {
        keys.values.flatMap(\.plugins) + webhooks.values.compactMap { PluginPattern($0.plugin.text) }
    }
}

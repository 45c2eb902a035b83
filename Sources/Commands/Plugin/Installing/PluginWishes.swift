// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginCatalog
import TaskModel

/// What a manifest asks for, one line each, so that two versions can be compared. Grants nothing.
struct PluginWishes: Hashable {
    struct Wish: Hashable {
        let topic: String
        let value: String
    }

    let all: [Wish]

    init(_ manifest: Manifest) {
        var wishes: [Wish] = []
        func add(_ topic: String, _ values: [String]) { wishes += values.map { Wish(topic: topic, value: $0) } }
        add("modes", manifest.modes.map(\.rawValue).sorted())
        add("identifiers", manifest.permitted.map(\.value.description))
        add("handlers", manifest.handlers.map { "\($0.identifier): \($0.text)" })
        add("extensions", manifest.extensions.map(\.text))
        add("entitlements", manifest.entitlements.map(\.rawValue).sorted())
        add("network", [manifest.sandbox?.network.map { $0 ? "yes" : "no" } ?? "not mentioned"])
        add("reads", manifest.sandbox?.read ?? [])
        add("writes", manifest.sandbox?.write ?? [])
        add("memory", manifest.limits?.memory.map { ["at most \($0) bytes"] } ?? [])
        add("settings", manifest.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" })
        all = wishes
    }

    var byTopic: [(topic: String, values: [String])] {
        var topics: [(topic: String, values: [String])] = []
        for wish in all {
            if topics.last?.topic == wish.topic {
                topics[topics.count - 1].values.append(wish.value)
            } else {
                topics.append((wish.topic, [wish.value]))
            }
        }
        return topics
    }

    /// What comes with a plus, what goes with a minus.
    func changes(from old: PluginWishes) -> [String] {
        let gone = old.all.filter { !all.contains($0) }.map { "- \($0.topic): \($0.value)" }
        return gone + all.filter { !old.all.contains($0) }.map { "+ \($0.topic): \($0.value)" }
    }
}

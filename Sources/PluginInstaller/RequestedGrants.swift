// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
package import PluginCatalogue
import TaskModel

/// The permissions and settings that a manifest requests, one line each, to compare two versions. It grants nothing.
package struct RequestedGrants: Hashable {
    struct Grant: Hashable {
        let topic: String
        let value: String
    }

    let all: [Grant]

    package init(_ manifest: Manifest) {
        var grants: [Grant] = []
        func add(_ topic: String, _ values: [String]) { grants += values.map { Grant(topic: topic, value: $0) } }
        for key in ManifestKey.allCases {
            switch key {
            // The installation prompt shows these keys separately.
            case .manifest, .requires, .identifier, .name, .version, .role, .containingPlugin, .library, .sha256,
                .files:
                break
            case .mainBundle: add("main bundle", manifest.mainBundle == nil ? [] : ["yes"])
            case .extensionPoint:
                add("launched by", manifest.role == .extension ? [manifest.extensionPoint.rawValue] : [])
            case .backgroundModes: add("modes", manifest.modes.map(\.rawValue).sorted())
            case .permittedIdentifiers: add("identifiers", manifest.permitted.map(\.value.description))
            case .handlers: add("handlers", manifest.handlers.map { "\($0.identifier): \($0.text)" })
            case .retry: add("proposed retries", manifest.retries.lines)
            case .extensions: add("extensions", manifest.extensions.map(\.text))
            case .grantsNetwork: add("network", manifest.grants.network ? ["yes"] : [])
            case .grantsNetworkConnect: add("connects to", manifest.grants.connect.map { "TCP port \($0)" })
            case .grantsNetworkListen: add("listens at", manifest.grants.listen.map { "TCP port \($0)" })
            case .grantsUnix: add("connects to", manifest.grants.unix)
            case .grantsGPU: add("gpu", manifest.grants.gpu ? ["yes"] : [])
            case .grantsHealthResearch:
                add("health research", manifest.entitlements.contains(.healthResearch) ? ["yes"] : [])
            case .grantsProcesses: add("processes", manifest.grants.processes ? ["yes"] : [])
            case .grantsRead: add("reads", manifest.grants.read)
            case .grantsWrite: add("writes", manifest.grants.write)
            case .grantsExecute: add("executes", manifest.grants.execute)
            case .grantsSettings:
                for access in Grants.Setting.Access.allCases {
                    let keys = manifest.grants.settings.filter { $0.access == access }.map(\.key)
                    add(access == .read ? "reads" : "writes", keys.map { "the path in the setting \($0)" })
                }
            case .limitsMemory: add("memory", manifest.limits.memory.map { ["at most \($0) bytes"] } ?? [])
            case .limitsProcesses:
                add("processes", manifest.limits.processes.map { ["at most \($0), threads included"] } ?? [])
            case .limitsFileSize: add("file size", manifest.limits.fileSize.map { ["at most \($0) bytes"] } ?? [])
            case .settings:
                add("settings", manifest.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" })
                add("secrets", manifest.secrets)
            // Each of their keys has an entry of its own.
            case .grants, .limits: break
            // The line of a handler has all its keys.
            case .handlersIdentifier, .handlersSymbol, .handlersArguments, .handlersReturns: break
            // The line of a proposed retry has all its keys.
            case .retryAttempts, .retryDelay, .retryBackoff, .retryJitter: break
            }
        }
        all = grants
    }

    package var byTopic: [(topic: String, values: [String])] {
        var topics: [(topic: String, values: [String])] = []
        for grant in all {
            if topics.last?.topic == grant.topic {
                topics[topics.count - 1].values.append(grant.value)
            } else {
                topics.append((grant.topic, [grant.value]))
            }
        }
        return topics
    }

    /// The differences to an older version: one line for each, with a minus for a removed request and a plus for an
    /// added request.
    package func changes(from old: RequestedGrants) -> [String] {
        let gone = old.all.filter { !all.contains($0) }.map { "- \($0.topic): \($0.value)" }
        return gone + all.filter { !old.all.contains($0) }.map { "+ \($0.topic): \($0.value)" }
    }
}

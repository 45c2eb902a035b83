// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Scheduling
package import TaskModel

// Warnings about configured values that have no effect yet. A host starts in spite of them.
extension HostConfiguration {
    /// Warnings about paths of manifest directories, named in the file or by a flag, at which no directory exists.
    package var missingDirectoryWarnings: [String] {
        [("manifests", operatorManifests), ("package-manifests", packageManifests)].compactMap { key, directory in
            var isDirectory: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory)
            guard namedManifestDirectories.contains(key), !isDirectory.boolValue else { return nil }
            let problem = isThere ? "is not a directory" : "does not exist"
            let remedy = isThere ? "replace it with a directory" : "create the directory"
            return "\(key): \(directory) \(problem), so no manifest is read from it; \(remedy), or name another"
                + " directory; the host reads the directory as soon as it exists"
        }
    }

    /// Plugins that have an entry in the configuration but are not installed, sorted.
    package func configuredWithoutPlugin(isInstalled: (PluginIdentifier) -> Bool) -> [PluginIdentifier] {
        policies.keys.filter { !isInstalled($0) }.sorted()
    }

    /// Warnings about entries without an installed plugin, about schedules, retries, settings and secrets that do not
    /// fit the manifest of their plugin, and about secret settings without a source.
    package func unmatchedWarnings(among installed: [PluginEntry]) -> [String] {
        unmatchedPlugins(among: installed.map(\.identifier)) + installed.flatMap(undeclared)
            + installed.flatMap(withoutSource)
    }

    private func withoutSource(_ plugin: PluginEntry) -> [String] {
        plugin.secrets.filter { secrets[plugin.identifier]?[$0] == nil }.map { name in
            "plugins.\(plugin.identifier).secrets.\(name): the secret setting has no source, so the plugin is not"
                + " launched; write { file: PATH }, { environment: NAME } or { credential: NAME }, and start the host"
                + " again"
        }
    }

    private func unmatchedPlugins(among installed: [PluginIdentifier]) -> [String] {
        let present = Set(installed)
        return configuredWithoutPlugin(isInstalled: present.contains).map { plugin in
            let nearest = NearestWord.to(plugin.text, among: installed.map(\.text))
            let remedy =
                nearest.map { NearestWord.remedy(nearest: $0, meaning: "plugin") }
                ?? "install the plugin, correct its manifest if it is refused, or remove the entry"
            return "plugins.\(plugin): no plugin \(plugin) is installed, so the entry has no effect; \(remedy)"
        }
    }

    private func undeclared(by plugin: PluginEntry) -> [String] {
        guard let policy = policies[plugin.identifier] else { return [] }
        let key = "plugins.\(plugin.identifier)"
        let permissions = Permissions(of: plugin, policy: scheduling.plugins[plugin.identifier] ?? PluginPolicy())
        let schedules = policy.schedules.compactMap { task, schedule in
            schedule.refusal(of: task, by: plugin, permissions).map { (task, $0) }
        }
        // A schedule names one identifier, so a pattern is no remedy.
        let names = plugin.permitted.compactMap { if case .exact(let name) = $0 { name.text } else { nil } }
        let settings = policy.settings.keys.sorted().filter {
            plugin.settings[$0] == nil && !plugin.secrets.contains($0)
        }
        let misfits = schedules.sorted { $0.0 < $1.0 }.map { task, reason -> String in
            guard case .identifierNotPermitted = reason else {
                let kinds = policy.schedules[task]?.permittedKinds(of: task, by: plugin, permissions) ?? []
                let kind = kinds.first.map { "write kind: \($0.name), which the manifest permits" }
                return
                    "\(key).schedules.\(task): \(reason.message), so each occurrence is refused; \(reason.remedy), or"
                    + " \(kind ?? "remove the schedule")"
            }
            let nearest = NearestWord.to(task.text, among: names)
            let remedy = nearest.map { NearestWord.remedy(nearest: $0, meaning: "task") } ?? "permit it in the manifest"
            return "\(key).schedules.\(task): the manifest does not permit the identifier for the schedule's kind;"
                + " each occurrence is refused; \(remedy), or remove the schedule"
        }
        return misfits + retryWarnings(about: plugin, policy, key)
            + settings.map { name in
                let nearest = NearestWord.to(name, among: plugin.settings.keys.sorted())
                let remedy = nearest.map { "write \"\($0)\"" } ?? "compare the key with the manifest"
                return "\(key).settings.\(name): the manifest has no setting of that name; \(remedy), or keep"
                    + " \(name) if the plugin reads a setting without a default"
            }
            + secretWarnings(about: plugin, policy, key)
    }

    /// Warnings about retries of identifiers that the manifest does not permit.
    private func retryWarnings(about plugin: PluginEntry, _ policy: OperatorPolicy, _ key: String) -> [String] {
        let names = plugin.permitted.map(\.description)
        return policy.retries.own.keys.filter { !plugin.permitted.permits($0) }.map(\.description).sorted().map {
            name in
            let nearest = NearestWord.to(name, among: names)
            let remedy = nearest.map { NearestWord.remedy(nearest: $0, meaning: "task") } ?? "permit it in the manifest"
            return "\(key).retry.\(name): the manifest does not permit the identifier, so the entry has no effect;"
                + " \(remedy), or remove the entry"
        }
    }

    /// Warnings about values of secret settings under the key `settings`, which the host does not use, and about
    /// sources for settings that are not secret settings of the manifest.
    private func secretWarnings(about plugin: PluginEntry, _ policy: OperatorPolicy, _ key: String) -> [String] {
        let open = plugin.secrets.filter { policy.settings[$0] != nil }.map { name in
            "\(key).settings.\(name): the setting is a secret, and its value in the configuration file is not used;"
                + " write \(key).secrets: { \(name): { file: PATH } }, and remove the value from the configuration file"
        }
        let unknown = policy.secrets.keys.sorted().filter { !plugin.secrets.contains($0) }.map { name in
            let nearest = NearestWord.to(name, among: plugin.secrets)
            let remedy = nearest.map { "write \"\($0)\"" } ?? "remove it, or compare the key with the manifest"
            return "\(key).secrets.\(name): the manifest has no secret setting of that name, so its source is not"
                + " read; \(remedy)"
        }
        return open + unknown
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// One line at the start of a plugin in `Tests/MisbehavingPlugins` that names its result in `bgtask plugin check`:
/// `/* fails: CHECK; tasks: one two; settings: key=value */`, `/* warns: CHECK */` or `/* passes */`.
///
/// The other keys describe its manifest: `tasks`, `settings`, `modes`, `grants` and `role`.
package struct ConformanceFixture: Sendable, CustomStringConvertible {
    package let source: String
    /// The check that fails; nil for a plugin without a failure.
    package let failing: String?
    /// The check that warns; nil for a plugin without a warning.
    package let warning: String?
    private let keys: [String: String]

    package var description: String { "\(source): \(failing ?? warning ?? "passes")" }

    /// The result lines of all plugins in `Tests/MisbehavingPlugins`, sorted by file.
    package static func all() throws -> [ConformanceFixture] {
        let files = try FileManager.default.contentsOfDirectory(atPath: PluginCompiler.plugins).sorted()
        return try files.filter { $0.hasSuffix(".c") || $0.hasSuffix(".cpp") }.flatMap { file in
            let text = try String(contentsOfFile: "\(PluginCompiler.plugins)/\(file)", encoding: .utf8)
            return text.split(separator: "\n").prefix(6).compactMap { line in
                ConformanceFixture(file.split(separator: ".").first.map(String.init) ?? file, String(line))
            }
        }
    }

    private init?(_ source: String, _ line: String) {
        guard line.hasPrefix("/* "), line.hasSuffix(" */") else { return nil }
        var keys: [String: String] = [:]
        for part in line.dropFirst(3).dropLast(3).split(separator: ";") {
            let words = part.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            keys[words[0]] = words.count > 1 ? words[1] : ""
        }
        guard keys["fails"] != nil || keys["warns"] != nil || keys["passes"] != nil else { return nil }
        self.source = source
        self.keys = keys
        failing = keys["fails"]
        warning = keys["warns"]
    }

    /// The plugin with its manifest, and the plugins beside it.
    package var plugins: [TestPlugin] {
        var plugin = TestPlugin(source, tasks: words("tasks") ?? ["task"])
        plugin.modes = words("modes") ?? plugin.modes
        for setting in words("settings") ?? [] {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            plugin.settings[parts[0]] = parts[1]
        }
        if let grants = words("grants") { plugin.grants = grants.map { "\($0): true" }.joined(separator: ", ") }
        guard keys["role"] == "extension" else { return [plugin] }
        var main = TestPlugin("Neighbour")
        plugin.main = main.identifier
        plugin.tasks = []
        main.extensions = [plugin.identifier]
        return [plugin, main]
    }

    private func words(_ key: String) -> [String]? { keys[key]?.split(separator: " ").map(String.init) }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// How a host under test is set up: flags and the rest of its configuration file.
package struct HostSetup: Sendable {
    /// By name, without the dashes.
    package var flags: [String: String]
    /// Lines of YAML before the plugins' policies.
    package var configuration: [String]
    /// Beside the test's own.
    package var environment: [String: String] = [:]

    /// Nothing waits for nothing: no spacing, short delays; budgets long enough never to matter.
    package init(_ flags: [String: String] = [:], configuration: [String] = []) {
        var defaults = [
            "spacing": "0s", "retry-delay": "20ms", "grace": "300ms", "spread": "0s", "overrun-spacing": "0s",
        ]
        // The machine under a test is busy, and its conditions are no test's matter but those that script them.
        defaults.merge(["external-power": "true", "network": "true", "idle": "true"]) { _, new in new }
        defaults.merge(["high-load": "false", "low-memory": "false", "hot": "false", "gpu": "false"]) { _, new in new }
        self.flags = defaults.merging(flags) { _, own in own }
        self.configuration = configuration
    }

    func configurationFile(for plugins: [TestPlugin]) -> String {
        let policies = plugins.filter { !$0.policy.isEmpty }
        var lines = ["# Written by the test."] + configuration
        if !policies.isEmpty { lines.append("plugins:") }
        for plugin in policies { lines += ["  \(plugin.identifier):"] + plugin.policy.map { "    \($0)" } }
        return lines.map { $0 + "\n" }.joined()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The configuration of a host under test: flags and the rest of its configuration file.
package struct HostSetup: Sendable {
    /// Values by the name of the flag, without dashes.
    package var flags: [String: String]
    /// Lines of YAML before the plugins' policies.
    package var configuration: [String]
    /// Variables in addition to the test's own environment.
    package var environment: [String: String] = [:]

    /// Defaults without waits: no spacing, short delays, and budgets that are too long to matter.
    package init(_ flags: [String: String] = [:], configuration: [String] = []) {
        var defaults = [
            "spacing": "0s", "retry-delay": "20ms", "grace-period": "300ms", "stagger": "0s", "overrun-spacing": "0s",
        ]
        // The machine is busy during tests, and its real conditions matter to no test.
        for condition in Condition.all {
            let isGood = condition.row.replay == .always || condition.row.replay == .whileUnused
            defaults[condition.name] = isGood ? "true" : "false"
        }
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

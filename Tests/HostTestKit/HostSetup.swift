// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel

/// The configuration of a host under test: its flags, and the lines of its configuration file apart from plugins.
package struct HostSetup: Sendable {
    /// Values of the flags, by the name of the flag without dashes.
    package var flags: [String: String]
    /// Lines of YAML in the configuration file, before the plugins' policies.
    package var configuration: [String]
    /// Environment variables of the host in addition to the test's own.
    package var environment: [String: String] = [:]

    /// The user as which the host runs; nil for the user of the test. Only root can choose another one.
    package private(set) var user: UInt32?

    /// Whether a host that runs as `user` has the capabilities that the package grants to hosts with users of plugins
    /// (`plugin-users.conf`).
    private(set) var hasCapabilities = false

    /// Path of the host's program; nil for the program under test.
    package var program: String?

    /// Whether the test holds the socket and passes it to each host, as a service manager does.
    package var isActivated = false

    /// Creates a configuration whose defaults cause no waits: no spacing and short delays. The budgets are the
    /// host's defaults, which are too long to matter.
    package init(_ flags: [String: String] = [:], configuration: [String] = []) {
        var defaults = [
            "spacing": "0s", "retry-delay": "20ms", "grace-period": "300ms", "stagger": "0s", "overrun-spacing": "0s",
            "refresh-spacing": "0s",
            // On a busy machine a lower priority lets launches exceed their grace period.
            "background-nice": "0",
        ]
        // The machine is busy during tests, and its real conditions matter to no test.
        for condition in Condition.all {
            let isGood = condition.row.replay == .always || condition.row.replay == .whileUnused
            defaults[condition.name] = isGood ? "true" : "false"
        }
        // Tests that run as root give each plugin a user of its own. Hosts of several tests run at once, so each host has
        // a range of its own.
        if geteuid() == 0 { defaults["plugin-users"] = Self.range() }
        self.flags = defaults.merging(flags) { _, own in own }
        self.configuration = configuration
    }

    /// A copy of this setup whose host runs as a random user ID without an account. Its plugins run as the same user.
    package func ofOrdinaryUser() -> HostSetup {
        var setup = self
        setup.user = UInt32.random(in: 1 << 20..<1 << 21)
        setup.flags["plugin-users"] = nil
        return setup
    }

    /// A copy of this setup whose host runs as a random user ID without an account, with the capabilities in
    /// `plugin-users.conf` of the package alone. Each plugin has a user of its own.
    package func ofSystemUser() -> HostSetup {
        var setup = self
        setup.user = UInt32.random(in: 1 << 20..<1 << 21)
        setup.hasCapabilities = true
        setup.flags["plugin-users"] = Self.range()
        return setup
    }

    /// The command that becomes the user of the host, and then the program in its last arguments; empty for the user of
    /// the test.
    var userChange: [String] {
        guard let user else { return [] }
        let change = [
            "/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--pdeathsig", "KILL",
        ]
        if !hasCapabilities { return change }
        let set = (["-all"] + Self.capabilitiesOfUnit.map { "+\($0)" }).joined(separator: ",")
        return change + ["inh-caps", "ambient-caps", "bounding-set"].map { "--\($0)=\(set)" }
    }

    /// The capabilities that the package's drop-in for users of plugins gives to the host, as `setpriv` names them.
    private static let capabilitiesOfUnit: [String] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path
        let text = try? String(contentsOfFile: "\(root)/Packaging/systemd/system/plugin-users.conf", encoding: .utf8)
        let key = "AmbientCapabilities="
        let line = text?.split(separator: "\n").first { $0.hasPrefix(key) }?.dropFirst(key.count) ?? ""
        return line.split(separator: " ").map { $0.dropFirst("CAP_".count).lowercased() }
    }()

    /// A range of 64 users that no account has and, most probably, no other host.
    private static func range() -> String {
        let first = UInt32.random(in: 1 << 22..<1 << 25) << 6
        return "\(first)-\(first + 63)"
    }

    func configurationFile(for plugins: [TestPlugin]) -> String {
        let policies = plugins.filter { !$0.policy.isEmpty }
        var lines = ["# Written by the test."] + configuration
        if !policies.isEmpty { lines.append("plugins:") }
        for plugin in policies { lines += ["  \(plugin.identifier):"] + plugin.policy.map { "    \($0)" } }
        return lines.map { $0 + "\n" }.joined()
    }
}

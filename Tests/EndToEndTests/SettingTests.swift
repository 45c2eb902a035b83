// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("host status shows the configuration, whether a file or a flag sets a key")
struct SettingTests {
    /// A key of the configuration file, with a value that differs from the default.
    private struct Setting {
        /// Path of the key, with dots.
        let key: String
        /// Name of the flag; nil for a key that only the file can set.
        let flag: String?
        let value: String
        /// A part of the output of `bgtask host status` that only this value causes; nil for a key that the output does
        /// not show.
        let shown: String?

        init(_ key: String, _ flag: String?, _ value: String, shows shown: String?) {
            self.key = key
            self.flag = flag
            self.value = value
            self.shown = shown
        }
    }

    /// The settings that `host status` does not show: they have no effect on decisions, or on those about transfers or a
    /// fleet only.
    private static let hidden: Set = [
        "runner", "cgroup", "log-level", "limits.transfer", "launches.transfer", "transfers.no-progress-limit",
        "transfers.retention", "transfers.discretionary-rate", "fleet.plugins",
    ]

    /// The default differs between a system host, which root starts, and a user's host.
    private static let learning =
        geteuid() == 0
        ? Setting("policies.learn-use", "learn-use", "true", shows: "use is learned")
        : Setting("policies.learn-use", "learn-use", "false", shows: "use is not learned")

    private static let settings = [
        Setting("manifests", "manifests", "own-manifests", shows: "/own-manifests"),
        Setting("package-manifests", "package-manifests", "own-packages", shows: "/own-packages"),
        Setting("plugin-directory", "plugin-directory", "own-plugins", shows: "/own-plugins"),
        Setting("state-directory", "state-directory", "own-state", shows: "/own-state"),
        Setting("socket", "socket", "control.sock", shows: "/control.sock"),
        Setting("socket-groups.read", "read-group", "root", shows: "read root"),
        Setting("socket-groups.submit", "submit-group", "root", shows: "submit root"),
        Setting("socket-groups.operate", "operate-group", "root", shows: "operate root"),
        Setting("runner", "runner", "bgtask-runner", shows: nil),
        Setting("cgroup", "cgroup", "none", shows: nil),
        Setting("isolation", "isolation", "off", shows: "isolation       off"),
        Setting("plugin-users", "plugin-users", "host", shows: "the host's user: plugin-users is host"),
        Setting("launch-limits.memory", nil, "3GiB", shows: "memory 3GiB"),
        Setting("launch-limits.processes", nil, "77", shows: "processes 77"),
        Setting("launch-limits.file-size", nil, "6MiB", shows: "file size 6MiB"),
        Setting("disk-reserve", nil, "7MiB", shows: "disk reserve 7MiB"),
        Setting("grant-limits", nil, "{ \"*\": { network: false } }", shows: "grant limits    *: network false"),
        Setting("background-nice", "background-nice", "7", shows: "background nice 7"),
        Setting("idle-runners", "idle-runners", "3", shows: "idle runners    0 of 3"),
        Setting("provenance.unsigned", nil, "warn", shows: "provenance      unsigned warn,"),
        Setting("provenance.unpinned", nil, "warn", shows: " unpinned warn,"),
        Setting("provenance.packages", nil, "refuse", shows: " packages refuse"),
        Setting("provenance.signers", nil, "own-signers", shows: "/own-signers"),
        Setting("provenance.revoked", nil, "own-revoked", shows: "/own-revoked"),
        Setting("log-level", "log-level", "debug", shows: nil),
        Setting("idle-timeout", "idle-timeout", "9s", shows: "idle timeout    9s"),
        Setting("conditions.external-power", "external-power", "false", shows: "external power  no (configuration)"),
        Setting("conditions.network", "network", "false", shows: "network         no (configuration)"),
        Setting("conditions.idle", "idle", "true", shows: "idle            yes (configuration)"),
        Setting("conditions.high-load", "high-load", "true", shows: "high load       yes (configuration)"),
        Setting("conditions.low-memory", "low-memory", "true", shows: "low memory      yes (configuration)"),
        Setting("conditions.hot", "hot", "true", shows: "hot             yes (configuration)"),
        Setting("conditions.battery-low", "battery-low", "true", shows: "battery low     yes (configuration)"),
        Setting("conditions.power-saver", "power-saver", "true", shows: "power saver     yes (configuration)"),
        Setting("conditions.metered", "metered", "true", shows: "metered         yes (configuration)"),
        Setting("conditions.gpu", "gpu", "true", shows: "gpu             yes (configuration)"),
        Setting("sensors.sample-interval", nil, "6s", shows: "sample-interval 6s"),
        Setting("sensors.idle-percent", nil, "11", shows: "idle-percent 11"),
        Setting("sensors.idle-after", nil, "36s", shows: "idle-after 36s"),
        Setting("sensors.busy-percent", nil, "26", shows: "busy-percent 26"),
        Setting("sensors.busy-after", nil, "37s", shows: "busy-after 37s"),
        Setting("sensors.high-load-percent", nil, "81", shows: "high-load-percent 81"),
        Setting("sensors.high-load-end-percent", nil, "61", shows: "high-load-end-percent 61"),
        Setting("sensors.high-load-after", nil, "38s", shows: "high-load-after 38s"),
        Setting("sensors.battery-low-percent", nil, "21", shows: "battery-low-percent 21"),
        Setting("sensors.heat-margin", nil, "8", shows: "heat-margin 8"),
        Setting("limits.refresh", "refresh-limit", "2", shows: "refresh 2,"),
        Setting("limits.processing", "processing-limit", "11", shows: "processing 11,"),
        Setting("limits.continued", "continued-limit", "12", shows: "continued 12,"),
        Setting("limits.transfer", nil, "13", shows: "transfer 13,"),
        Setting("limits.event", "event-limit", "7", shows: "event 7"),
        Setting("budgets.refresh", "refresh-budget", "31s", shows: "refresh 31s"),
        Setting("budgets.processing", "processing-budget", "11min", shows: "processing 11min"),
        Setting("budgets.health-research", "health-research-budget", "12min", shows: "health-research 12min"),
        Setting("budgets.event", "event-budget", "32s", shows: "event 32s"),
        Setting("budgets.push", "push-budget", "36s", shows: "push 36s"),
        Setting("grace-period", "grace-period", "1500ms", shows: "grace period    1.5s"),
        Setting("spacing", "spacing", "2s", shows: "spacing         2s"),
        Setting("batch-size", "batch-size", "8", shows: "batch size      8"),
        Setting("launches.background", "background-launches", "105", shows: "background 0 of 105"),
        Setting("launches.event", "event-launches", "106", shows: "event 0 of 106"),
        Setting("launches.continued", "continued-launches", "107", shows: "continued 0 of 107"),
        Setting("launches.transfer", nil, "108", shows: "transfer 0 of 108"),
        Setting("continued.stall-limit", "stall-limit", "33s", shows: "expired after 33s"),
        Setting("continued.pressure-interval", nil, "39s", shows: "one task is expired every 39s"),
        Setting("transfers.no-progress-limit", nil, "3d", shows: nil),
        Setting("transfers.retention", nil, "4d", shows: nil),
        Setting("transfers.discretionary-rate", nil, "1MiB", shows: nil),
        Setting("background-refresh", "background-refresh", "false", shows: "refresh         off"),
        Setting("fleet.plugins", nil, "[com.example.*]", shows: nil),
        Setting("minimum-fetch-interval", "minimum-fetch-interval", "20min", shows: "at most every 20min"),
        Setting("policies.off", nil, "[power-saver]", shows: "off: power-saver"),
        Setting("policies.stagger", "stagger", "34s", shows: "stagger 34s"),
        Setting(
            "policies.spacing.refresh",
            "refresh-spacing",
            "16min",
            shows: "spacing of plugins' own refresh requests 16min"
        ),
        Setting("policies.spacing.push", "push-spacing", "21min", shows: "spacing of pushes 21min"),
        Setting("policies.overrun-spacing", "overrun-spacing", "35s", shows: "after overruns 35s"),
        Setting("policies.longest-spacing", nil, "41min", shows: "doubling to 41min"),
        learning,
        Setting("policies.day-budget", "day-budget", "2h", shows: "day budget 2h"),
        Setting("policies.maximum-deferral", "maximum-deferral", "1d", shows: "maximum deferral 1d"),
        Setting("policies.maximum-capacity-wait", nil, "42min", shows: "maximum capacity wait 42min"),
        Setting("retry.delay", "retry-delay", "4s", shows: "after 4s, doubling"),
        Setting("retry.attempts", "attempts", "5", shows: "5 attempts"),
        Setting("retry.host-delay", "host-retry-delay", "3s", shows: "commit after 3s"),
        Setting("removed-plugin-retention", "removed-plugin-retention", "3h", shows: "plugins' requests 3h"),
        Setting("logs.launch", nil, "2MiB", shows: "2MiB per launch"),
        Setting("logs.plugin", nil, "17MiB", shows: "17MiB per plugin"),
        Setting("logs.total", nil, "513MiB", shows: "513MiB in all"),
        Setting("logs.retention", nil, "15d", shows: "kept for 15d"),
        Setting("journal-retention", "journal-retention", "4d", shows: "ended launches 4d"),
        Setting("journal-size", nil, "3MiB", shows: "3MiB of journal"),
    ]

    @Test func `the help of bgtaskd lists exactly the flags of the configuration keys`() async throws {
        let help = try await ProgramRun.of(BuiltProgram.host.path(), ["--help"]).output
        let shown = Set(help.matches(of: /--[a-z-]+/).map { String($0.output.dropFirst(2)) })
        let general: Set = ["config", "system", "user", "version", "help"]
        let (flags, tested) = (shown.subtracting(general), Set(Self.settings.compactMap(\.flag)))
        #expect(
            flags == tested,
            "add rows here: \(flags.subtracting(tested).sorted()); in HostFlags: \(tested.subtracting(flags).sorted())"
        )
    }

    @Test func `the test's list of settings has exactly the documented keys of the host`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Documentation/Configuration.md"), encoding: .utf8)
        let keys = page.matches(of: /\| <a id="[^"]+"><\/a>`([^`]+)` \|/).map { String($0.1) }
        let documented = Set(keys.filter { !$0.hasPrefix("plugins") && !$0.hasPrefix("...") })
        let sections = Set(
            Self.settings.flatMap { setting in
                let parts = setting.key.split(separator: ".")
                return (1..<max(1, parts.count)).map { parts.prefix($0).joined(separator: ".") }
            }
        )
        let (shown, tested) = (documented.subtracting(sections), Set(Self.settings.map(\.key)))
        #expect(
            shown == tested,
            "add rows here: \(shown.subtracting(tested).sorted()); in Configuration.md: \(tested.subtracting(shown).sorted())"
        )
    }

    @Test
    func
        `host status shows the value of every key except the hidden ones, and a file and the flags configure the same host`()
        async throws
    {
        let byFile = try await status { try Self.file(Self.settings, in: $0) }
        let byFlags = try await status { directory in
            try Self.file(Self.settings.filter { $0.flag == nil }, in: directory)
                + Self.settings.compactMap { setting in
                    try setting.flag.map { "--\($0)=\(try Self.text(of: setting, in: directory))" }
                }
        }
        #expect(byFile.facts == byFlags.facts)
        let paths = Self.settings.filter { $0.key == "state-directory" || $0.key == "socket" }
        let byDefault = try await status { directory in
            var directories = ["--manifests", directory.file("m"), "--package-manifests", directory.file("p")]
            // A host of root does not start with the default.
            if geteuid() == 0 { directories += ["--plugin-users", "600000-600009"] }
            return try Self.file(paths, in: directory) + directories
        }
        for setting in Self.settings {
            guard let shown = setting.shown else {
                #expect(Self.hidden.contains(setting.key), "\(setting.key) is not shown")
                continue
            }
            #expect(byFile.text.contains(shown), "\(setting.key): \(byFile.text)")
            if paths.contains(where: { $0.key == setting.key }) { continue }
            #expect(!byDefault.text.contains(shown), "\(setting.key) has its default")
        }
        for condition in Condition.all {
            let value = Self.settings.first { $0.key == "conditions.\(condition.name)" }?.value
            #expect(value == byFile.reply.conditions[condition].holds.map { "\($0)" })
            #expect(byFile.reply.conditions[condition].source == .configuration)
        }
    }

    // MARK: Hosts

    /// Writes a configuration file with the settings. Returns the option `--config` and the path of the file.
    private static func file(_ settings: [Setting], in directory: ScratchDirectory) throws -> [String] {
        var sections: [String: [String]] = [:]
        /// The keys of inner mappings, by the path of the mapping.
        var inner: [[String]: [String]] = [:]
        for setting in settings {
            let parts = setting.key.split(separator: ".").map(String.init)
            let value = "\(parts[parts.count - 1]): \(try text(of: setting, in: directory))"
            if parts.count > 2 {
                inner[Array(parts.dropLast()), default: []].append(value)
            } else {
                sections[parts.count > 1 ? parts[0] : "", default: []].append(value)
            }
        }
        for (path, values) in inner {
            sections[path[0], default: []].append("\(path[1]): { \(values.joined(separator: ", ")) }")
        }
        let text = sections.sorted { $0.key < $1.key }.map { section, lines in
            section.isEmpty ? lines.joined(separator: "\n") : "\(section):\n  " + lines.joined(separator: "\n  ")
        }
        return ["--config", try directory.write((text.joined(separator: "\n") + "\n").utf8, to: "bgtaskd.yaml")]
    }

    /// The value of a setting: a path becomes one inside the directory of the test, other values stay unchanged.
    private static func text(of setting: Setting, in directory: ScratchDirectory) throws -> String {
        switch setting.key {
        case "manifests", "package-manifests", "plugin-directory", "state-directory", "socket", "provenance.signers",
            "provenance.revoked":
            directory.file(setting.value)
        case "runner": try BuiltProgram.runner.path()
        default: setting.value
        }
    }

    private struct Status {
        let reply: HostStatusReply
        let text: String

        /// The lines of `host status` that are equal on two hosts with equal configurations: without the lines about
        /// the process, and without lines that contain a path.
        var facts: [String] {
            let varying = ["version", "process", "started", "boot", "socket  ", "state", "configuration"]
            return text.split(separator: "\n").map(String.init).filter { line in
                !varying.contains { line.hasPrefix($0) } && !line.contains("/")
            }
        }
    }

    private func status(_ arguments: (ScratchDirectory) throws -> [String]) async throws -> Status {
        try await ScratchDirectory.with { directory in
            let host = try await ChildProcess.start(BuiltProgram.host.path(), arguments(directory))
            try await host.errorLine("that it serves") { $0.contains("serving") }
            let socket = directory.file("control.sock")
            let reply = try await ControlClient.withConnection(to: socket) { try await $0.host() }
            let run = try await ProgramRun.of(BuiltProgram.command.path(), ["host", "status", "--socket", socket])
            host.signal(SIGTERM)
            #expect(try await host.ending() == .exited(0))
            return Status(reply: reply, text: run.output)
        }
    }
}

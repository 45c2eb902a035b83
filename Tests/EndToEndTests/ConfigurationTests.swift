// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("The operator's configuration takes effect and is checked before the host does anything")
struct ConfigurationTests {
    /// Every key of the host, with its section in the file, its flag and a value.
    private static let keys: [(section: String?, key: String, flag: String, value: String)] = [
        (nil, "manifests", "manifests", "manifests"), (nil, "package-manifests", "package-manifests", "packages"),
        (nil, "plugin-directory", "plugin-directory", "plugins"), (nil, "state-directory", "state-directory", "state"),
        (nil, "socket", "socket", "control.sock"), ("socket-groups", "read", "read-group", "root"),
        ("socket-groups", "submit", "submit-group", "root"), ("socket-groups", "operate", "operate-group", "root"),
        (nil, "runner", "runner", "bgtask-runner"), (nil, "cgroup", "cgroup", "none"),
        (nil, "isolation", "isolation", "best-effort"),
        (nil, "log-level", "log-level", "debug"), (nil, "grace-period", "grace-period", "1500ms"),
        (nil, "spacing", "spacing", "2s"), (nil, "removed-plugin-retention", "removed-plugin-retention", "3h"),
        (nil, "journal-retention", "journal-retention", "4d"),
        ("conditions", "external-power", "external-power", "false"), ("conditions", "network", "network", "false"),
        ("limits", "refresh", "refresh-limit", "2"), ("limits", "processing", "processing-limit", "11"),
        ("budgets", "refresh", "refresh-budget", "31s"), ("budgets", "processing", "processing-budget", "11min"),
        ("budgets", "event", "event-budget", "32s"), ("launches", "background", "background-launches", "5"),
        ("launches", "event", "event-launches", "6"), ("retry", "delay", "retry-delay", "4s"),
        ("retry", "attempts", "attempts", "5"), ("retry", "host-delay", "host-retry-delay", "3s"),
        ("limits", "event", "event-limit", "7"), (nil, "batch-size", "batch-size", "8"),
        (nil, "idle-timeout", "idle-timeout", "9s"), ("conditions", "idle", "idle", "true"),
        ("conditions", "high-load", "high-load", "true"), ("conditions", "low-memory", "low-memory", "true"),
        ("conditions", "hot", "hot", "true"),
        ("conditions", "battery-low", "battery-low", "true"), ("conditions", "power-saver", "power-saver", "true"),
        ("conditions", "gpu", "gpu", "true"),
        ("limits", "continued", "continued-limit", "12"),
        ("budgets", "health-research", "health-research-budget", "12min"),
        ("launches", "continued", "continued-launches", "7"), ("continued", "stall-limit", "stall-limit", "33s"),
        (nil, "minimum-fetch-interval", "minimum-fetch-interval", "20min"),
        (nil, "background-refresh", "background-refresh", "false"), ("policies", "stagger", "stagger", "34s"),
        ("policies", "overrun-spacing", "overrun-spacing", "35s"), ("policies", "day-budget", "day-budget", "2h"),
        ("policies", "maximum-deferral", "maximum-deferral", "1d"),
    ]

    @Test func `the help of bgtaskd lists exactly the flags of the configuration keys`() async throws {
        let help = try await ProgramRun.of(BuiltProgram.host.path(), ["--help"]).output
        let shown = Set(help.matches(of: /--[a-z-]+/).map { String($0.output.dropFirst(2)) })
        let general: Set = ["config", "system", "user", "version", "help"]
        #expect(shown.subtracting(general) == Set(Self.keys.map(\.flag)))
    }

    @Test func `a configuration file with every key and a command line with every flag configure the same host`()
        async throws
    {
        let byFile = try await status { directory in
            var lines: [String] = []
            for (section, key, _, value) in Self.keys.sorted(by: { ($0.section ?? "") < ($1.section ?? "") }) {
                if let section, !lines.contains("\(section):") { lines.append("\(section):") }
                let text = try Self.text(of: value, for: key, in: directory)
                lines.append(section == nil ? "\(key): \(text)" : "  \(key): \(text)")
            }
            let file = try directory.write(lines.map { $0 + "\n" }.joined().utf8, to: "bgtaskd.yaml")
            return ["--config", file]
        }
        let byFlags = try await status { directory in
            try ["--config", directory.write([], to: "bgtaskd.yaml")]
                + Self.keys.flatMap { ["--\($0.flag)", try Self.text(of: $0.value, for: $0.key, in: directory)] }
        }
        #expect(byFile.facts == byFlags.facts)
        #expect(byFile.gracePeriod.duration == .milliseconds(1500) && byFile.spacing.duration == .seconds(2))
        #expect(byFile.conditions[.externalPower].holds == false && byFile.conditions[.network].holds == false)
        #expect(byFile.limits.map(\.limit) == [2, 11, 12, 7])
        #expect(byFile.launchLimits.map(\.limit) == [5, 6, 7])
        #expect(
            Condition.allCases.filter { byFile.conditions[$0].holds == true } == [
                .idle, .highLoad, .lowMemory, .hot, .batteryLow, .powerSaver, .gpu,
            ]
        )
        #expect(byFile.conditions.states.values.allSatisfy { $0.source == .configuration })
        #expect(byFile.policies.maximumDeferral.duration == .seconds(86_400) && !byFile.isBackgroundRefreshOn)
        #expect(byFile.continued.stallLimit.duration == .seconds(33))
        #expect(byFile.batchSize == 8 && byFile.socketGroups == ["read": "root", "submit": "root", "operate": "root"])
        #expect(byFile.idleTimeout.duration == .seconds(9))
        #expect(byFile.retry == RetryRule(delay: .seconds(4), attempts: 5, hostDelay: .seconds(3)))
        let doubt = Duration.seconds(600)
        #expect(
            byFile.retention
                == Retention(removedPlugin: .seconds(3 * 3_600), journal: .seconds(4 * 86_400), doubt: doubt)
        )
        #expect(byFile.budgets.map(\.budget.duration) == [.seconds(31), .seconds(660), .seconds(720), .seconds(32)])
    }

    @Test func `a broken configuration file is refused with a message for every line that is wrong`() async throws {
        try await ScratchDirectory.with { directory in
            let text = """
                # Every line from here on is wrong.
                grace-perid: 5s
                spacing: soon
                limits:
                  refresh: many
                plugins:
                  nodots:
                    enabled: true
                  com.example.one:
                    extensions: [alsonodots, com.example.one, com.example.shared]
                  com.example.two:
                    extensions: [com.example.shared]
                """
            let file = try directory.write(text.utf8, to: "bgtaskd.yaml")
            let run = try await ProgramRun.of(
                BuiltProgram.host.path(),
                ["--config", file, "--state-directory", directory.file("state")]
            )
            #expect(run.status == 2 && run.output.isEmpty)
            for part in [
                "\(file):2", "grace-perid", "\"grace-period\"", "\(file):3", "soon", "\(file):5", "limits.refresh",
                "\(file):7",
                "nodots", "alsonodots", "is the main plugin itself", "listed under \"com.example.one\" as well",
            ] { #expect(run.error.contains(part), "\(run.error)") }
            #expect(!FileManager.default.fileExists(atPath: directory.file("state")))
        }
    }

    @Test(arguments: [
        ("grace-period", "later", "is \"later\", not a duration from 1ms to 7d"),
        ("attempts", "-1", "is -1, which is not between 1 and 1000"),
        ("refresh-budget", "20", "is \"20\", which has no unit"), ("batch-size", "201", "not between 1 and 200"),
        ("log-level", "loud", "is \"loud\", which is not one of trace"),
        ("network", "yes", "is \"yes\", not a boolean"),
        ("read-group", "no-such-group", "is \"no-such-group\", which is not a group of this machine; create it"),
    ])
    func `an invalid value of a flag is refused with a message that names the flag and the rule`(
        flag: String,
        value: String,
        problem: String
    ) async throws {
        let run = try await ProgramRun.of(
            BuiltProgram.host.path(),
            ["--user", "--\(flag)=\(value)", "--state-directory", "/dev/null/none"]
        )
        #expect(run.status == 2 && !run.error.contains("/dev/null") && !run.error.contains("command line"))
        #expect(run.error.hasPrefix("bgtaskd: --\(flag): ") && run.error.contains(problem), "\(run.error)")
    }

    @Test func `a configuration file named on the command line has to exist`() async throws {
        let run = try await ProgramRun.of(BuiltProgram.host.path(), ["--config", "/nowhere.yaml"])
        #expect(run.status == 2 && run.error.contains("/nowhere.yaml"))
    }

    @Test func `a socket group that does not exist is refused with its line before any directory is created`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let text = "grace-period: 5s\nsocket-groups: { read: no-such-group }\n"
            let file = try directory.write(text.utf8, to: "bgtaskd.yaml")
            let run = try await ProgramRun.of(
                BuiltProgram.host.path(),
                ["--config", file, "--state-directory", directory.file("state"), "--socket", directory.file("s")]
            )
            #expect(run.status == 2 && run.error.contains("\(file):2:24: socket-groups.read: is \"no-such-group\""))
            #expect(run.error.contains("groupadd"))
            #expect(!FileManager.default.fileExists(atPath: directory.file("state")))
        }
    }

    @Test func `a --cgroup directory outside the cgroup v2 hierarchy ends the start with an error`() async throws {
        try await ScratchDirectory.with { directory in
            let run = try await ProgramRun.of(
                BuiltProgram.host.path(),
                [
                    "--config", directory.write([], to: "none.yaml"), "--state-directory", directory.file("state"),
                    "--socket", directory.file("s"), "--cgroup", directory.path,
                ]
            )
            #expect(run.status == 1 && run.error.contains("\(directory.path) is not in a cgroup v2 hierarchy"))
            #expect(run.error.contains("write none to disable control groups"))
        }
    }

    @Test func `a missing manifest directory is logged as a warning, and read as soon as it exists`() async throws {
        let setup = HostSetup()
        try await HostFixture.with(setup, plugins: []) { host in
            let directory = host.directory
            try await host.stop()
            try await host.restart(with: ["manifests": directory.file("later/manifests")])
            let warning = try await host.waitForLog("the warning") { $0.contains("later/manifests does not exist") }
            #expect(warning.contains("warning") && warning.contains("manifests:") && warning.contains("it exists"))

            try directory.makeDirectory("later")
            try directory.makeDirectory("later/manifests")
            let plugin = TestPlugin.neighbour
            try await host.install(plugin)
            try directory.write(plugin.manifest.utf8, to: "later/manifests/\(plugin.name).yaml")
            try await host.waitForJournal("the installation") { $0.event == "plugin-installed" }
        }
    }

    @Test func `configuration of a plugin that is not installed is reported in the log and by host status`()
        async throws
    {
        var misspelt = TestPlugin("Obedient", policy: ["enabled: false"])
        misspelt.identifier = "com.example.neighbor"
        try await HostFixture.with(plugins: [.neighbour]) { host in
            #expect(try await host.client.host().configuredWithoutPlugin.isEmpty)
            try await host.stop()
            host.setPolicy(misspelt.policy, of: misspelt)
            try await host.restart()
            let warning = try await host.waitForLog("the warning") { $0.contains("plugins.com.example.neighbor:") }
            #expect(warning.contains("warning") && warning.contains("\"com.example.neighbour\""))
            let status = try await host.bgtask("host", "status")
            #expect(status.output.contains("com.example.neighbor, named in the configuration"))
        }
    }

    @Test func `the log describes the end of a launch as exit status and has no lines of the HTTP library`()
        async throws
    {
        try await HostFixture.with { host in
            _ = try await host.end(
                ofLaunch: try #require(
                    try await host.outcome(
                        of: host.submit(TestPlugin.neighbour.task())
                    ).launch
                )
            )
            let line = try await host.waitForLog("the end") { $0.contains(" ended") }
            #expect(line.contains("termination=\"exit status 0\""), "\(line)")
            #expect(!host.log.contains { $0.contains("Server started") || $0.contains("Hummingbird") })
        }
    }

    @Test func `settings of the operator take precedence over the settings of the manifest`() async throws {
        var plugin = TestPlugin("Resubmits", policy: ["settings: { times: 1 }"])
        plugin.settings = ["times": "3", "other": "stays"]
        try await HostFixture.with(plugins: [plugin]) { host in
            #expect(try await host.show(plugin).settings == ["times": "1", "other": "stays"])
            let first = try await host.submit(plugin.task())
            let task = plugin.task()
            try await host.waitForJournal("its second run") {
                $0.task == task && $0.event == "succeeded" && $0.submission != first
            }
            #expect(host.containerText(plugin, "ran.txt") == "1\n0\n")
        }
    }

    @Test func `a second host on the same state directory is refused with the process id of the first`() async throws {
        try await HostFixture.with { host in
            let directory = host.directory
            let second = try await ProgramRun.of(
                BuiltProgram.host.path(),
                [
                    "--config", directory.file("bgtaskd.yaml"), "--manifests", directory.file("manifests"),
                    "--state-directory", host.stateDirectory, "--socket", directory.file("other.sock"),
                ]
            )
            #expect(second.status == 1)
            #expect(second.error.contains("\(host.pid)") && second.error.contains("--state-directory"))
            try await host.runNeighbour()
        }
    }

    @Test func `a second host at the same socket is refused, and the first one keeps serving it`() async throws {
        try await HostFixture.with { host in
            let directory = host.directory
            let second = try await ProgramRun.of(
                BuiltProgram.host.path(),
                [
                    "--config", directory.file("bgtaskd.yaml"), "--manifests", directory.file("packages"),
                    "--state-directory", directory.file("state2"), "--socket", host.socket,
                ]
            )
            #expect(second.status == 1)
            #expect(second.error.contains(host.socket) && second.error.contains("--socket"))
            try await host.runNeighbour()
        }
    }

    /// The value of a key for a test: a path becomes one inside the directory of the test, other values stay unchanged.
    private static func text(of value: String, for key: String, in directory: ScratchDirectory) throws -> String {
        switch key {
        case "manifests", "package-manifests", "plugin-directory", "state-directory", "socket": directory.file(value)
        case "runner": try BuiltProgram.runner.path()
        default: value
        }
    }

    private func status(_ arguments: (ScratchDirectory) throws -> [String]) async throws -> HostStatusReply {
        try await ScratchDirectory.with { directory in
            let host = try await ChildProcess.start(BuiltProgram.host.path(), arguments(directory))
            try await host.errorLine("that it serves") { $0.contains("serving") }
            let status = try await ControlClient.withConnection(to: directory.file("control.sock")) {
                try await $0.host()
            }
            host.signal(SIGTERM)
            #expect(try await host.ending() == .exited(0))
            return status
        }
    }
}

extension HostStatusReply {
    /// The configured values of the host as text, without paths.
    fileprivate var facts: [String] {
        [
            "\(limits)", "\(budgets)", "\(launchLimits)", "\(gracePeriod)", "\(spacing)", "\(retry)",
            "\(Condition.allCases.map { conditions[$0] })", "\(policies)", "\(continued)", "\(minimumFetchInterval)",
            "\(batchSize)", "\(idleTimeout)", "\(retention)", "\(socketGroups.sorted { $0.key < $1.key })",
        ]
    }
}

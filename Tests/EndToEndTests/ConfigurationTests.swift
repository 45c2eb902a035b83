// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("The operator's configuration takes effect and is checked before the host does anything")
struct ConfigurationTests {
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
                    "--plugin-users", "host",
                ]
            )
            #expect(run.status == 1 && run.error.contains("\(directory.path) is not in a cgroup v2 hierarchy"))
            #expect(run.error.contains("write \"none\" to disable control groups"))
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
            #expect(status.output.contains("com.example.neighbor: named in the configuration; its manifest is missing"))
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
                    "--plugin-users", "host",
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
                    "--plugin-users", "host",
                ]
            )
            #expect(second.status == 1)
            #expect(second.error.contains(host.socket) && second.error.contains("--socket"))
            try await host.runNeighbour()
        }
    }
}

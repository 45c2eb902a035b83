// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("An operator inspects and controls tasks, launches, plugins and hosts with bgtask")
struct CommandTests {
    private static let task = TestPlugin.neighbour.task()

    @Test(.proves(89))
    func `bgtask run runs a pending task at once, and submits a request of the last kind when none is pending`()
        async throws
    {
        try await HostFixture.with(HostSetup(["external-power": "false"])) { host in
            let submitted = try await host.bgtask(
                "task",
                "submit",
                Self.task,
                "--kind",
                "processing",
                "--not-before",
                "+2h",
                "--needs-external-power"
            )
            #expect(submitted.status == 0)
            let submission = try #require(try await host.client.tasks().pending.first?.submission)
            let simulated = try await host.bgtask("run", Self.task)
            #expect(simulated.status == 0 && simulated.output.contains("launch"))
            #expect(try await host.outcome(of: submission).event == "succeeded")

            let again = try await host.bgtask("run", Self.task)
            #expect(again.status == 0 && again.output.hasPrefix("submission "), "\(again)")
        }
    }

    @Test func `bgtask launch show reports an ended launch as text, and launch list --json as JSON`() async throws {
        try await HostFixture.with { host in
            let end = try await host.outcome(of: try await host.submit(Self.task))
            let launch = try #require(end.launch)
            _ = try await host.end(ofLaunch: launch)
            let shown = try await host.bgtask("launch", "show", "\(launch)")
            #expect(shown.status == 0)
            for part in [Self.task, "completed", "succeeded", "background", "processing"] {
                #expect(shown.output.contains(part))
            }
            let listed = try await host.bgtask("launch", "list", "--json")
            let reply = try JSONDecoder().decode(LaunchListReply.self, from: Data(listed.output.utf8))
            #expect(reply.launches.first { $0.launch == launch }?.outcome == "completed")
            let missing = try await host.bgtask("launch", "show", "4711")
            #expect(missing.status == 1 && missing.error.contains("4711"))
        }
    }

    @Test func `jq reads the times of bgtask --json as dates, and their nanoseconds with every digit`() async throws {
        try await HostFixture.with(HostSetup(["external-power": "false"])) { host in
            let before = Int64(Date().timeIntervalSince1970)
            _ = try await host.bgtask("task", "submit", Self.task, "--kind", "processing", "--needs-external-power")
            func query(_ filter: String, of arguments: String...) async throws -> String {
                let answer = try await host.bgtaskList(arguments + ["--json"])
                let file = host.directory.file("answer.json")
                try answer.output.write(toFile: file, atomically: true, encoding: .utf8)
                let run = try await ProgramRun.of("/usr/bin/jq", ["-r", filter, file])
                #expect(run.status == 0, "\(run.error)")
                return run.output.trimmingCharacters(in: .newlines)
            }
            let date = try #require(Int64(try await query(".pending[0].submitted_at | fromdate", of: "task", "list")))
            #expect(date >= before && date <= before + 600)
            let exact = try await query(".pending[0].submitted_at_ns", of: "task", "list")
            let reply = try WireCoding.decode(
                TaskListReply.self,
                from: Data(try await host.bgtask("task", "list", "--json").output.utf8)
            )
            #expect(exact == reply.pending.first.map { "\($0.submittedAt.wall.nanoseconds)" })
            #expect(exact.hasPrefix("\(date)") && exact.count == 19)
            let since = try await query("[.entries[].at | fromdate] | min", of: "journal")
            #expect(try #require(Int64(since)) >= before - 600)
            #expect(try await query(".started_at | fromdate | type", of: "host", "status") == "number")
        }
    }

    @Test func `bgtask journal --follow prints recorded entries and then a new entry`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let follower = try await ChildProcess.start(
                BuiltProgram.command.path(),
                ["journal", "--follow", "--json", "--socket", host.socket]
            )
            // The recorded entries come first; the new ones follow.
            try await follower.outputLine("what happened before") { $0.contains("plugin-installed") }
            let submission = try await host.submit(Self.task)
            let line = try await follower.outputLine("the task's end") {
                $0.contains("\"succeeded\"") && $0.contains(Self.task)
            }
            let entry = try JSONDecoder().decode(JournalLine.self, from: Data(line.utf8))
            #expect(entry.submission == submission && entry.task == Self.task)
            follower.signal(SIGINT)
            _ = try await follower.ending()
        }
    }

    @Test func `bgtask journal --follow ends with status 3 when its host stops`() async throws {
        try await HostFixture.with { host in
            let follower = try await ChildProcess.start(
                BuiltProgram.command.path(),
                ["journal", "--follow", "--socket", host.socket]
            )
            try await follower.outputLine("what happened before") { $0.contains("plugin-installed") }
            // Only a new entry shows that the command follows by now.
            try await host.submit(Self.task)
            try await follower.outputLine("what happens now") { $0.contains("succeeded") && $0.contains(Self.task) }
            try await host.stop()
            #expect(try await follower.ending() == .exited(3))
            #expect(
                follower.standardError.elements.first
                    == "bgtask: the host at \(host.socket) is stopping and has closed the journal"
            )
        }
    }

    @Test func `bgtask journal --follow reports a lost connection when its host is killed`() async throws {
        try await HostFixture.with { host in
            let follower = try await ChildProcess.start(
                BuiltProgram.command.path(),
                ["journal", "--follow", "--socket", host.socket]
            )
            try await follower.outputLine("what happened before") { $0.contains("plugin-installed") }
            try await host.submit(Self.task)
            try await follower.outputLine("what happens now") { $0.contains("succeeded") && $0.contains(Self.task) }
            host.kill9()
            #expect(try await follower.ending() == .exited(3))
            let reported = follower.standardError.elements
            #expect(
                reported.first == "bgtask: the connection to the host at \(host.socket) is lost" && reported.count == 2
            )
            try await host.restart()
        }
    }

    @Test func `the used budget of a launch is unknown after its host was killed`() async throws {
        let patient = TestPlugin("Patient", tasks: ["one"])
        try await HostFixture.with(plugins: [patient]) { host in
            try await host.submit(patient.task("one"))
            try await host.waitForLog("it runs") { $0.contains("patient runs com.example.patient.one") }
            host.kill9()
            try await host.restart()
            try await host.waitForJournal("its loss") { $0.event == "launch-lost" }
            let launches = try await host.client.launches(limit: 100).launches
            let lost = try #require(launches.first { $0.outcome == "lost" })
            #expect(lost.used == nil)
            #expect(try await host.bgtask("launch", "show", "\(lost.launch)").output.contains("budget    - of "))
        }
    }

    @Test func `bgtask refuses an unknown task or plugin and names it; a known one without runs is no error`()
        async throws
    {
        try await HostFixture.with { host in
            let task = try await host.bgtask("why", "com.example.nobody.task")
            #expect(
                task.status == 1 && task.output.isEmpty && task.error.contains("com.example.nobody.task is unknown")
            )
            let launches = try await host.bgtask("launch", "list", "--plugin", "com.example.nobody")
            #expect(launches.status == 1 && launches.error.contains("no plugin com.example.nobody is installed"))
            // A known task without submissions is no error; a list without rows has the exit status of grep.
            let own = try await host.bgtask("why", Self.task)
            #expect(own.status == 0 && own.output.contains("no outcome of it is recorded"))
            let none = try await host.bgtask("launch", "list", "--outcome", "crashed")
            #expect(none.status == 1 && none.output.isEmpty && none.error == "bgtask: no launch found\n")
        }
    }

    @Test func `host status and plugin show print configured limits, delays and retentions`() async throws {
        let setup = HostSetup([
            "batch-size": "17", "event-limit": "18", "attempts": "19", "retry-delay": "20s", "host-retry-delay": "21s",
            "removed-plugin-retention": "22d", "journal-retention": "23d", "operate-group": "root",
            "idle-timeout": "24s",
        ])
        try await HostFixture.with(setup) { host in
            let status = try await host.bgtask("host", "status").output
            for part in [
                "17", "event 18", "19 attempts", "20s", "21s", "22d", "23d", "socket groups   operate root", "24s",
            ] {
                #expect(status.contains(part), "\(part) in \(status)")
            }
            let plugin = try await host.bgtask("plugin", "show", TestPlugin.neighbour.identifier).output
            for part in ["17", "of 18", "19 attempts", "20s", "22d"] {
                #expect(plugin.contains(part), "\(part) in \(plugin)")
            }
        }
    }

    @Test func `plugin list, plugin show and host status print the installed plugins and the settings in force`()
        async throws
    {
        let plugin = TestPlugin("Obedient", policy: ["budgets: { refresh: 42s }", "limits: { processing: 3 }"])
        try await HostFixture.with(HostSetup(["grace-period": "7s"]), plugins: [.neighbour, plugin]) { host in
            let list = try await host.bgtask("plugin", "list")
            #expect(list.output.contains(TestPlugin.neighbour.identifier) && list.output.contains(plugin.identifier))
            let show = try await host.bgtask("plugin", "show", plugin.identifier)
            #expect(show.status == 0 && show.output.contains("42s") && show.output.contains("7s"))
            let reply = try await host.show(plugin)
            #expect(reply.limits.first { $0.kind == "processing" }?.limit == 3)
            let status = try await host.bgtask("host", "status")
            #expect(status.output.contains(host.stateDirectory) && status.output.contains("2 installed"))
        }
    }

    @Test func `bgtask host run replaces its process with a host that serves its socket`() async throws {
        try await ScratchDirectory.with { directory in
            for name in ["manifests", "packages", "plugins"] { try directory.makeDirectory(name) }
            let host = try await ChildProcess.start(
                BuiltProgram.command.path(),
                [
                    "host", "run", "--manifests", directory.file("manifests"), "--package-manifests",
                    directory.file("packages"), "--plugin-directory", directory.file("plugins"), "--state-directory",
                    directory.file("state"), "--socket", directory.file("s"), "--config",
                    directory.write([], to: "none.yaml"), "--plugin-users", "host",
                ]
            )
            try await host.errorLine("that it serves") { $0.contains("serving") }
            let status = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["host", "status", "--json", "--socket", directory.file("s")]
            )
            let reply = try JSONDecoder().decode(HostStatusReply.self, from: Data(status.output.utf8))
            #expect(reply.pid == host.pid)
            host.signal(SIGTERM)
            #expect(try await host.ending() == .exited(0))
        }
    }
}

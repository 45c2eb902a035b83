// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("bgtask logs shows what plugins wrote, per launch")
struct LogsTests {
    private static let plugin = TestPlugin("WritesStreams", tasks: ["one", "two"])

    private func lines(_ host: HostFixture, _ arguments: String...) async throws -> [LaunchLogLine] {
        let run = try await host.bgtaskList(["logs", "--json", "--limit", "1000"] + arguments)
        let lines = try WireCoding.decode(LogReply.self, from: Data(run.output.utf8)).lines
        #expect(run.status == (lines.isEmpty ? 1 : 0), "\(run.error)")
        return lines
    }

    /// Runs the task of the released plugin, and returns its launch.
    private func run(_ task: String, _ host: HostFixture) async throws -> Int64 {
        let end = try await host.outcome(of: try await host.submit(task))
        #expect(end.event == "succeeded")
        let launch = try #require(end.launch)
        _ = try await host.end(ofLaunch: launch)
        return launch
    }

    @Test func `each line of a launch has its stream, level and task, in a private file and in every command`()
        async throws
    {
        let plugin = Self.plugin
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            try host.release(plugin)
            let launch = try await run(plugin.task("one"), host)
            let lines = try await lines(host, "\(launch)")
            let facts = lines.map { "\($0.stream) \($0.level) \($0.task ?? "-") \($0.text)" }
            let escaped = "to stderr \u{1b}[2J".terminalSafe
            let expected = [
                "stdout info - to stdout", "stderr info - \(escaped)", "log info - of the launch",
                "log warning \(plugin.task("one")) of the task \(plugin.task("one"))",
                "log error \(plugin.task("one")) the last line",
            ]
            // The three channels have no common order.
            #expect(facts.sorted() == expected.sorted())
            #expect(lines.map(\.number) == Array(1...5) && Set(lines.map(\.launch)) == [launch])

            let file = host.directory.file("state/logs/\(plugin.identifier)/\(launch).log")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.split(separator: "\n").count == 5 && !text.contains("\u{1b}"))

            let shown = try await host.bgtask("launch", "show", "\(launch)")
            #expect(shown.output.contains("the last line") && !shown.output.contains("\u{1b}"))
            let errors = try await self.lines(host, plugin.identifier, "--level", "error")
            #expect(errors.map(\.text) == ["the last line"])
            #expect(try await self.lines(host, "\(launch)", "--grep", "TO STD").count == 2)
            #expect(try await self.lines(host, "\(launch)", "--since", "2100-01-01T00:00:00Z").isEmpty)
            #expect(try await self.lines(host, "\(launch)", "--until", "1h").isEmpty)
        }
    }

    @Test func `a task selects its own launches, a plugin all of them, and --previous the launch before`()
        async throws
    {
        let plugin = Self.plugin
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            try host.release(plugin)
            let first = try await run(plugin.task("one"), host)
            let second = try await run(plugin.task("one"), host)
            let third = try await run(plugin.task("two"), host)
            func launches(_ arguments: String...) async throws -> [Int64] {
                let run = try await host.bgtaskList(["logs", "--json", "--limit", "1000"] + arguments)
                #expect(run.status == 0, "\(run.error)")
                let reply = try WireCoding.decode(LogReply.self, from: Data(run.output.utf8))
                return Set(reply.lines.map(\.launch)).sorted()
            }
            #expect(try await launches(plugin.task("one")) == [first, second])
            #expect(try await launches(plugin.task("two")) == [third])
            #expect(try await launches(plugin.identifier) == [first, second, third])
            #expect(try await launches(plugin.task("one"), "--previous") == [first])
            #expect(try await launches(plugin.identifier, "--previous") == [second])
            #expect(try await launches("\(second)", "--previous") == [first])
            let typo = try await host.bgtask("logs", plugin.task("onne"))
            #expect(typo.status == 1 && typo.error.contains(plugin.task("one")), "\(typo.error)")
            let missing = try await host.bgtask("logs", "4711")
            #expect(missing.status == 1 && missing.error.contains("4711"))
        }
    }

    @Test func `--follow prints the lines of a running launch as they are written, and ends with the launch`()
        async throws
    {
        let plugin = Self.plugin
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            let task = plugin.task("one")
            let submission = try await host.submit(task)
            let launch = try await host.launch(of: plugin)
            func follower(_ subject: String...) async throws -> ChildProcess {
                try await ChildProcess.start(
                    BuiltProgram.command.path(),
                    ["logs", "--follow", "--socket", host.socket] + subject
                )
            }
            let followers = try await [follower("\(launch.number)"), follower(task, "--level", "warning")]
            for follower in followers {
                try await follower.outputLine("the line before the end") { $0.contains("of the task \(task)") }
            }
            try host.release(plugin)
            for follower in followers {
                try await follower.outputLine("the last line") { $0.contains("the last line") }
            }
            #expect(try await followers[0].ending() == .exited(0))
            #expect(try await host.outcome(of: submission).event == "succeeded")
            #expect(!followers[1].standardOutput.elements.contains { $0.contains("of the launch") })
            followers[1].signal(SIGINT)
            #expect(try await followers[1].ending() == .exited(0))
        }
    }

    @Test func `logs survive a restart of the host, and a purge of their plugin deletes them`() async throws {
        let plugin = Self.plugin
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            try host.release(plugin)
            let launch = try await run(plugin.task("one"), host)
            try await host.stop()
            try await host.restart()
            #expect(try await lines(host, "\(launch)").count == 5)
            for name in [plugin.manifestFile, plugin.libraryFile] { try host.directory.remove(name) }
            _ = try await host.waitForJournal("the removal") { line in
                line.event == "plugin-removed" && line.plugin == plugin.identifier
            }
            let identifier = try #require(PluginIdentifier(plugin.identifier))
            _ = try await host.client.purge(identifier)
            #expect(try await lines(host, "\(launch)").isEmpty)
            #expect(!FileManager.default.fileExists(atPath: host.directory.file("state/logs/\(plugin.identifier)")))
            try await host.runNeighbour()
        }
    }

    @Test func `a host with logs.total 0 stores no logs, and host status reports that`() async throws {
        let plugin = Self.plugin
        try await HostFixture.with(HostSetup(configuration: ["logs: { total: 0B }"]), plugins: [plugin]) { host in
            try await host.started(plugin)
            try host.release(plugin)
            let launch = try await run(plugin.task("one"), host)
            #expect(try await lines(host, "\(launch)").isEmpty)
            #expect(try await host.bgtask("host", "status").output.contains("no logs are kept"))
            #expect(!FileManager.default.fileExists(atPath: host.directory.file("state/logs")))
        }
    }
}

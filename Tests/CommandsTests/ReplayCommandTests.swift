// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Replay
import TaskModel
import Testing

@testable import Commands

@Suite("bgtask replay works without a host")
struct ReplayCommandTests {
    private var directory: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Demo/replays")
            .standardizedFileURL.path
    }

    @Test func `two runs of a replay with one seed give the same table, JSON and drawing`() async throws {
        var answers: [[String]] = []
        for _ in 0..<2 {
            let answer = try await ScratchDirectory.with { scratch in
                let drawing = scratch.path + "/day.svg"
                let arguments = [
                    "replay", "day", "--count", "8", "--conditions", directory + "/laptop.yaml", "--seed", "9",
                ]
                let program = try BuiltProgram.command.path()
                let table = try await ProgramRun.of(program, arguments + ["--svg", drawing])
                let json = try await ProgramRun.of(program, arguments + ["--json"])
                #expect(table.status == 0 && json.status == 0)
                #expect(try JSONValue(parsing: Data(json.output.utf8)).quotedKeys == [])
                return [table.output, json.output, try String(contentsOfFile: drawing, encoding: .utf8)]
            }
            answers.append(answer)
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].allSatisfy { $0.count > 500 })
    }

    @Test func `the table of a replay has a row for each plugin and a total row`() async {
        let terminal = Terminal()
        let status = await terminal.run(
            list: [
                "replay", "day", "--plugins", directory + "/plugins.yaml", "--conditions", directory + "/office.yaml",
                "--seed", "2",
            ]
        )
        #expect(status == .done)
        let lines = terminal.output.split(separator: "\n")
        #expect(lines.first == "a day of a desktop in an office, seed 2")
        #expect(lines.dropFirst().first?.hasPrefix("PLUGIN") == true)
        #expect(lines.count == 2 + 6 + 1)
        #expect(lines.last?.hasPrefix("6 plugins") == true)
    }

    @Test func `problems in the files of a replay are reported with file, line and key`() async {
        let terminal = Terminal()
        let trace = directory + "/plugins.yaml"
        #expect(await terminal.run("replay", "day", "--count", "2", "--conditions", trace) == .refused)
        #expect(terminal.error.contains("plugins.yaml:1:1: trace: is missing; write trace: 1"))
        #expect(terminal.error.contains("population: is not a known key"))
        #expect(terminal.output.isEmpty)
    }

    @Test(arguments: [
        (["month", "--count", "2"], "write one of day, week"),
        (["day"], "give one of --plugins, --count and --from-journal"),
        (["day", "--count", "2", "--from-journal"], "give one of --plugins, --count and --from-journal"),
        (["day", "--count", "0"], "not between 1 and 1000"),
    ])
    func `misuse of bgtask replay is refused with the options or values to choose from`(
        arguments: [String],
        remedy: String
    ) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["replay"] + arguments + ["--conditions", "x.yaml"]) == .misuse)
        #expect(terminal.error.contains(remedy), "\(terminal.error)")
    }

    @Test func `a replay takes run times from recorded launches and requirements from pending requests`() throws {
        let launches = LaunchListReply(launches: [try Samples.launch(end: Samples.launchEnd)])
        let learned = LearnedPopulation(launches, pending: try Samples.taskList())
        let plugin = try #require(learned.population.plugins.first)
        #expect(plugin.identifier == (try Samples.plugin()))
        let task = try #require(plugin.tasks.first)
        #expect(task.identifier == (try Samples.task()))
        #expect(task.takes == .observed([.seconds(2)]))
        #expect(task.requiresNetwork == (try Samples.pending().request.requiresNetwork))
        #expect(task.requiresExternalPower == (try Samples.pending().request.requiresExternalPower))
        #expect(learned.rows.map(\.source) == ["plugin"])
        #expect(learned.text.contains("com.example.feed.refresh  plugin  1"))
    }

    @Test func `a journal without repeated work is shown as a table and not replayed`() async throws {
        let launches = LaunchListReply(launches: [try Samples.launch(end: Samples.launchEnd)])
        let list = String(decoding: try WireCoding.encode(launches), as: UTF8.self)
        let tasks = String(decoding: try WireCoding.encode(try Samples.taskList()), as: UTF8.self)
        try await StubHost.with({ request in
            .body(status: 200, request.path.hasPrefix("/v1/launches") ? list : tasks)
        }) { host in
            let terminal = Terminal()
            let arguments = ["replay", "day", "--from-journal", "--conditions", directory + "/office.yaml"]
            #expect(await terminal.run(list: arguments + ["--socket", host.socket]) == .refused)
            #expect(terminal.output.contains("1 request in 22.4s; an interval is learned after 3 repetitions"))
            #expect(terminal.error.contains("the history of the host has no work that a replay repeats"))
            #expect(terminal.error.contains("name the plugins with --plugins"))
        }
    }

    @Test func `the progress of a replay is one line that is redrawn at most every 200 ms and erased at the end`() {
        let start = Samples.now
        var line = ReplayProgressLine(at: start)
        let progress = ReplayProgress(hours: 52, of: 168, launches: 1_234)
        #expect(line.text(progress, at: start + .milliseconds(199)) == nil)
        #expect(line.end == nil)
        let text = line.text(progress, at: start + .milliseconds(3_400))
        #expect(text == "\r52 of 168 hours simulated, 1234 launches, 3s\u{1B}[K")
        #expect(line.text(progress, at: start + .milliseconds(3_599)) == nil)
        #expect(line.end == "\r\u{1B}[K")
    }
}

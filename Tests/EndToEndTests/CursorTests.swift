// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A task with a cursor continues where its last run ended")
struct CursorTests {
    /// The items that `CountsItems` has done, in their order.
    private func items(_ host: HostFixture, _ plugin: TestPlugin) -> [String] {
        host.containerText(plugin, "items.txt").split(separator: "\n").map(String.init)
    }

    private static let all = (0..<200).map(String.init)

    @Test(.proves("C19"))
    func `a task whose process is killed ten times does each item once, in order, and no attempt is charged`()
        async throws
    {
        let plugin = TestPlugin("CountsItems")
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task())
            _ = try await host.waitForJournal("its success") {
                $0.submission == submission && $0.event == "succeeded"
            }
            #expect(items(host, plugin) == Self.all)
            let ends = try await host.journal().filter { line in
                line.submission == submission && TaskOutcome(rawValue: line.event) != nil
            }
            #expect(ends.map(\.event) == Array(repeating: "continues", count: 10) + ["succeeded"])
            let gone = try await host.bgtask("task", "cursor", plugin.task())
            #expect(gone.status != 0 && gone.error.contains("no cursor"))
        }
    }

    @Test(.proves("C19"))
    func `a task whose host is killed ten times does each item once, in order, and is not abandoned`() async throws {
        var plugin = TestPlugin("CountsItems")
        plugin.settings = ["kill": "host"]
        let task = plugin
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submit(task.task())
            for part in 0..<10 {
                let item = part * 20 + 10
                while items(host, task).count < item { await Task.yield() }
                let reached = "\(host.stateDirectory)/containers/\(task.identifier)/reached-\(item)"
                while !FileManager.default.fileExists(atPath: reached) { await Task.yield() }
                host.kill9()
                try await host.start()
            }
            _ = try await host.waitForJournal("its success") {
                $0.submission == submission && $0.event == "succeeded"
            }
            #expect(items(host, task) == Self.all)
            #expect(try await host.journal().contains { $0.event == "abandoned" } == false)
        }
    }

    @Test(.proves("C19", "BGT-ABI-19"))
    func `calls with wrong cursors, tasks and processes change no cursor, and two threads leave a whole one`()
        async throws
    {
        var plugin = TestPlugin("MovesCursors")
        plugin.grants = "processes: true"
        try await HostFixture.with(plugins: [plugin]) { [plugin] host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "failed")
            let expected = [
                "none BGT_NOT_FOUND", "null BGT_INVALID", "empty BGT_INVALID", "large BGT_INVALID", "flag BGT_TOO_NEW",
                "foreign BGT_NO_SUCH_TASK", "still none BGT_NOT_FOUND", "full BGT_OK", "short BGT_TRUNCATED",
                "discard BGT_OK", "discarded BGT_NOT_FOUND", "threads BGT_OK", "whole 1", "fork BGT_ENDED",
                "text BGT_OK", "completed BGT_ALREADY_COMPLETED",
            ]
            let statuses = host.containerText(plugin, "statuses.txt")
            #expect(statuses.split(separator: "\n").map(String.init) == expected)
            _ = try await host.end(ofLaunch: try #require(end.launch))

            let cursor = try await host.client.cursor(of: try #require(TaskIdentifier(plugin.task())))
            #expect(cursor.text == "row 7" && cursor.hex == "726f772037" && cursor.length == 5)
            #expect(cursor.version == "1.0.0")
            let why = try await host.client.why(try #require(TaskIdentifier(plugin.task())))
            #expect(why.cursor?.length == 5 && why.cursor?.submission == cursor.submission)
            let launch = try await host.bgtask("launch", "show", "\(try #require(end.launch))")
            #expect(launch.output.contains("cursor") && launch.output.contains("of version 1.0.0"))
            let shown = try await host.bgtask("task", "cursor", plugin.task())
            #expect(shown.status == 0 && shown.output.contains("row 7"))
            let cleared = try await host.bgtask("task", "cursor", plugin.task(), "--clear")
            #expect(cleared.status == 0)
            #expect(try await host.journal().contains { $0.event == "cursor-cleared" && $0.user != nil })
            #expect(try await host.bgtask("task", "cursor", plugin.task()).status != 0)
        }
    }
}

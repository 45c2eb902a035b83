// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

@Suite("The pages of a list contain the whole list")
struct PagedListTests {
    private static let plugins = [
        TestPlugin("Neighbour", tasks: ["one", "two", "three"]), TestPlugin("Patient", tasks: ["one", "two"]),
    ]

    private static func identifiers(_ page: TaskListReply) -> [String] { page.pending.map(\.identifier) }

    @Test func `pages of pending tasks are ordered by plugin and submission, for page limits from 1 to 1,000`()
        async throws
    {
        let (neighbour, patient) = (Self.plugins[0], Self.plugins[1])
        try await HostFixture.with(plugins: Self.plugins) { host in
            for plugin in Self.plugins { try await host.started(plugin) }
            let wanted =
                ["three", "one", "two"].map { neighbour.task($0) } + ["two", "one"].map { patient.task($0) }
            for (left, right) in [("three", "two"), ("one", "one")] {
                _ = try await host.submit(neighbour.task(left), earliestBegin: HostFixture.tomorrow)
                _ = try await host.submit(patient.task(right), earliestBegin: HostFixture.tomorrow)
            }
            _ = try await host.submit(neighbour.task("two"), earliestBegin: HostFixture.tomorrow)
            for limit in [1, 2, 3, 5, 1_000] {
                var query = TaskQuery(limit: limit)
                var found: [String] = []
                repeat {
                    let page = try await host.client.taskPage(query)
                    #expect(page.pending.count <= limit && !page.isPartial)
                    found += Self.identifiers(page)
                    query.after = page.next.flatMap(WorkCursor.init(text:))
                } while query.after != nil
                #expect(found == wanted, "limit \(limit)")
            }
            #expect(Self.identifiers(try await host.client.tasks()) == wanted)
            let plugin = try #require(PluginIdentifier(patient.identifier))
            #expect(Self.identifiers(try await host.client.tasks(plugin: plugin)) == Array(wanted.suffix(2)))
            #expect(try await host.client.tasks(plugin: plugin, kinds: [.refresh, .event]).pending.isEmpty)
            let listed = try await host.bgtask("task", "list", "--plugin", patient.identifier, "--kind", "processing")
            #expect(listed.status == 0 && listed.output.contains(patient.task("one")))
            #expect(!listed.output.contains(neighbour.identifier))
        }
    }

    @Test func `running tasks are on the pages up to their place in the list, and its filters apply to them`()
        async throws
    {
        let patient = Self.plugins[1]
        try await HostFixture.with(plugins: Self.plugins) { host in
            let running = try await host.submit(patient.task("one"))
            try await host.wait(for: running, toRun: patient)
            for task in ["one", "two"] {
                _ = try await host.submit(Self.plugins[0].task(task), earliestBegin: HostFixture.tomorrow)
            }
            let first = try await host.client.taskPage(TaskQuery(limit: 1, kinds: [.processing]))
            #expect(first.running.map(\.submission) == [running] && first.next != nil)
            let cursor = first.next.flatMap(WorkCursor.init(text:))
            let second = try await host.client.taskPage(TaskQuery(limit: 1, after: cursor))
            #expect(second.running.map(\.submission) == [running])
            let end = try #require(PluginIdentifier(patient.identifier)).endOfWork
            #expect(try await host.client.taskPage(TaskQuery(limit: 1, after: end)).running.isEmpty)
            #expect(try await host.client.taskPage(TaskQuery(kinds: [.refresh])).running.isEmpty)
            let other = try #require(PluginIdentifier(Self.plugins[0].identifier))
            #expect(try await host.client.tasks(plugin: other, kinds: [.processing]).running.isEmpty)
        }
    }

    @Test func `a request that starts between two pages of a task list is a running task of the later page`()
        async throws
    {
        let patient = Self.plugins[1]
        try await HostFixture.with(plugins: Self.plugins) { host in
            _ = try await host.submit(Self.plugins[0].task("one"), earliestBegin: HostFixture.tomorrow)
            let waiting = try await host.submit(patient.task("one"), earliestBegin: HostFixture.tomorrow)
            let first = try await host.client.taskPage(TaskQuery(limit: 1, kinds: [.processing]))
            #expect(first.running.isEmpty && Self.identifiers(first) == [Self.plugins[0].task("one")])
            #expect(try await host.bgtask("run", patient.task("one")).status == 0)
            try await host.wait(for: waiting, toRun: patient)
            let cursor = first.next.flatMap(WorkCursor.init(text:))
            let second = try await host.client.taskPage(TaskQuery(limit: 1, after: cursor, kinds: [.processing]))
            #expect(second.pending.isEmpty && second.running.map(\.submission) == [waiting])
        }
    }

    @Test func `pages of the plugin list end with the refused manifests`() async throws {
        try await HostFixture.with(plugins: Self.plugins) { host in
            for name in ["A", "B", "C"] {
                try host.directory.write("manifest: 1\nrole: mian\n".utf8, to: "manifests/\(name).yaml")
            }
            try await host.waitForLog("the last refusal") { $0.contains("C.yaml") }
            var query = PluginQuery(limit: 1)
            var pages: [[String]] = []
            repeat {
                let page = try await host.client.pluginPage(query)
                pages.append(page.plugins.map(\.identifier) + page.refused.map { String($0.file.suffix(6)) })
                query.after = page.next.flatMap(PluginCursor.init(text:))
            } while query.after != nil
            #expect(pages == (Self.plugins.map(\.identifier) + ["A.yaml", "B.yaml", "C.yaml"]).map { [$0] })
            let all = try await host.client.plugins()
            #expect(all.plugins.count == 2 && all.refused.count == 3 && all.next == nil)
            let file = try #require(all.refused.first).file
            let refused = try await host.client.plugins(manifest: file)
            #expect(refused.plugins.isEmpty && refused.refused == [all.refused[0]])
            let manifest = try await host.client.plugin(try #require(all.plugins.first?.identifier.plugin)).manifest
            let one = try await host.client.plugins(manifest: manifest)
            #expect(one.plugins.map(\.identifier) == [all.plugins[0].identifier] && one.refused.isEmpty)
            #expect(try await host.client.plugins(manifest: file + "x").refused.isEmpty)
        }
    }

    @Test func `pages of the launch list go back to the first launch`() async throws {
        let plugin = TestPlugin.neighbour
        try await HostFixture.with { host in
            var last: Int64 = 0
            for _ in 0..<3 {
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                last = try #require(end.launch)
                _ = try await host.end(ofLaunch: last)
            }
            var query = LaunchQuery(limit: 1)
            var found: [Int64] = []
            repeat {
                let page = try await host.client.launchPage(query)
                found += page.launches.map(\.launch)
                query.after = page.next.flatMap { Int64($0) }.map(LaunchNumber.init(rawValue:))
            } while query.after != nil
            #expect(found == Array((1...last).reversed()))
            let entries = try await host.client.journal(limit: 1_000).entries
            let middle = try #require(entries.dropFirst(3).first)
            let before = try await host.client.journalPage(JournalQuery(before: middle.number, limit: 2))
            #expect(before.entries == Array(entries[1...2]))
        }
    }

    @Test func `a task list of an unknown plugin is refused with the name of the plugin`() async throws {
        try await HostFixture.with { host in
            let stranger = try #require(PluginIdentifier("com.example.nobody"))
            await #expect(throws: ControlError.self) { try await host.client.tasks(plugin: stranger) }
            let run = try await host.bgtask("task", "list", "--plugin", "com.example.nobody")
            #expect(run.status == 1 && run.error.contains("no plugin com.example.nobody is installed"))
        }
    }
}

extension String {
    fileprivate var plugin: PluginIdentifier? { PluginIdentifier(self) }
}

extension PluginIdentifier {
    /// The position after all waiting work of the plugin.
    fileprivate var endOfWork: WorkCursor { .end(of: self) }
}

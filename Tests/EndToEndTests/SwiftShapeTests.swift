// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Forms of published scheduler code have in a Swift plugin the behaviour that Apple documents, in both modes")
struct SwiftShapeTests {
    /// A host with the default grace period: a shorter one would shorten the time for calls after a completion.
    private static let setup = HostSetup(["grace-period": "5s"])

    @Test(.proves(34, 62), arguments: BuiltLibrary.allCases, ["lock", "main-queue"])
    func `a Swift task whose work and expiration race for its completion is completed once, without a violation`(
        _ library: BuiltLibrary,
        means: String
    ) async throws {
        let plugin = TestPlugin.part("SingleCompletion", library, settings: ["guard": means, "slow": "true"])
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.expire(plugin, "refresh", .refresh, once: "working")
            try host.release(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            let journal = try await host.journal()
            #expect(!journal.contains { $0.event == "violation" })
            #expect(try await host.pending() == [plugin.task("refresh")])
        }
    }

    @Test(.proves(34, 56, 58), arguments: BuiltLibrary.allCases)
    func `a Swift task in a property is completed by a change of state, by a work item or by its expiration`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("StoredTask", library)
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            #expect(try await host.run(plugin, "refresh", .refresh, payload: "property").event == "succeeded")
            #expect(try await host.run(plugin, "refresh", .refresh, payload: "work-item").event == "succeeded")
            try await host.expire(plugin, "refresh", .refresh, once: "waiting")
            let notes = ["the work item runs", "waiting", "expired: \(plugin.task("refresh"))"]
            #expect(host.notes(plugin) == notes)
        }
    }

    @Test(.proves(12, 56), arguments: BuiltLibrary.allCases)
    func `a table of Swift handlers receives each task by its type and identifier`(_ library: BuiltLibrary) async throws
    {
        let plugin = TestPlugin.part("HandlerTable", library)
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.started(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            #expect(try await host.run(plugin, "db-cleaning").event == "succeeded")
            #expect(try await host.run(plugin, "report").event == "failed")
            let notes = ["refresh, a handler after the completion: false", "cleaning", "report"]
            #expect(host.notes(plugin) == notes)
        }
    }

    @Test(.proves(27, 39), arguments: BuiltLibrary.allCases)
    func `a Swift launch that submits a request only if none is pending leaves the pending request unchanged`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("SubmissionAtLaunch", library)
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            _ = try await host.end(ofLaunch: try #require(try await host.started(plugin).launch))
            let first = try #require(try await host.client.tasks().pending.first)
            #expect(first.identifier == plugin.task("db-cleaning") && first.kind == "processing")
            #expect(first.requiresNetwork && !first.requiresExternalPower)
            #expect(first.earliestBegin?.wall.nanoseconds == 4_000_000_000_000_000_000)
            #expect(try await host.run(plugin, "report").event == "succeeded")
            #expect(host.notes(plugin) == ["absent", "pending, unchanged: true"])
            let last = try await host.client.tasks().pending
            #expect(last.map(\.submission) == [first.submission])
        }
    }

    @Test(.proves(34, 43), arguments: BuiltLibrary.allCases)
    func `a Swift handler cancels all pending requests and submits two, of which the undated one runs at once`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("SubmissionAnew", library)
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.started(plugin)
            let report = try await host.submit(plugin.task("report"), earliestBegin: HostFixture.tomorrow)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            let cleaning = plugin.task("db-cleaning")
            let end = try await host.waitForJournal("the undated request") { $0.task == cleaning }
            #expect(end.event == "succeeded" && host.notes(plugin) == ["cleaned without a date"])
            let journal = try await host.journal()
            #expect(journal.contains { $0.event == "cancelled" && $0.submission == report })
            #expect(try await host.pending() == [plugin.task("refresh")])
        }
    }

    @Test(.proves(15, 74, 78), arguments: BuiltLibrary.allCases)
    func `a user's stop reaches the main-actor object that holds a Swift continued task, and the task fails`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("MonitoredSession", library)
        let export = plugin.task("export.7")
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "db-cleaning")
            #expect(try await host.outcome(of: submission).event == "succeeded")
            let running = try await host.running(export) { $0.progress != nil && $0.subtitle == "Runs" }
            #expect(running.kind == "continued" && running.title == "Monitoring")
            _ = try await host.client.stop(host.identifier(export))
            let end = try await host.outcome(of: running.submission)
            #expect(end.event == "failed" && end.blame == "user")
            #expect(host.notes(plugin) == ["stopped on the main thread: true", "stopped: true"])
        }
    }

    @Test(.proves(34, 58), arguments: BuiltLibrary.allCases)
    func `an expiration cancels the child tasks of a Swift actor, and a second Swift task completes with the result`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("ActorScheduler", library, settings: ["slow": "true"])
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.expire(plugin, "refresh", .refresh, once: "fetching")
            #expect(host.notes(plugin).suffix(2) == ["expired", "failed: true"])
            try host.release(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            #expect(host.notes(plugin).last == "stored 3")
        }
    }

    @Test(.proves(34, 53), arguments: BuiltLibrary.allCases)
    func `a Swift refresh with fresh data of an earlier launch completes at once and submits the next refresh`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("FreshnessCheck", library)
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            for _ in 1...2 {
                let end = try await host.run(plugin, "refresh", .refresh)
                let submission = try #require(end.submission)
                #expect(end.event == "succeeded")
                let next = try await host.client.tasks().pending
                #expect(next.map(\.identifier) == [plugin.task("refresh")] && next[0].submission > submission)
            }
            #expect(host.notes(plugin) == ["refreshed", "fresh"])
        }
    }

    @Test(.proves(34), arguments: BuiltLibrary.allCases)
    func `a Swift refresh that throws ends as failed, and its error handling submits the next refresh`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("FreshnessCheck", library, settings: ["trouble": "true"])
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.started(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "failed")
            #expect(host.notes(plugin) == ["failed: Unreachable()"])
            #expect(try await host.pending() == [plugin.task("refresh")])
        }
    }

    @Test(.proves(51, 58), arguments: BuiltLibrary.allCases)
    func `dependent operations and a group of blocks complete Swift tasks, and an expiration cancels the operations`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("QueuedWork", library, settings: ["slow": "true"])
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.expire(plugin, "refresh", .refresh, once: "fetch begins")
            #expect(host.notes(plugin) == ["fetch begins", "cancelled: true"])
            try host.release(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            #expect(try await host.run(plugin, "report").event == "succeeded")
            #expect(host.notes(plugin).suffix(4).prefix(3).sorted() == ["part 1", "part 2", "part 3"])
            #expect(host.notes(plugin).last == "all parts, on the main thread: true")
        }
    }
}

extension HostFixture {
    /// Runs a task of the plugin until the plugin writes the note, expires the task, expects its failure, and waits for
    /// the end of its launch.
    fileprivate func expire(_ plugin: TestPlugin, _ task: String, _ kind: TaskKind, once note: String) async throws {
        let submission = try await begin(plugin, task, kind)
        try await wait(for: note, of: plugin)
        try await expireOnceEntered(plugin.task(task))
        let end = try await outcome(of: submission)
        #expect(end.event == "failed")
        _ = try await self.end(ofLaunch: try #require(end.launch))
    }
}

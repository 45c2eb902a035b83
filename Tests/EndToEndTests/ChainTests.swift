// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite(
    "A request submitted after the last completion is recorded, so a chain of launches does not break",
    .proves(34, 53)
)
struct ChainTests {
    /// A host with the default grace period: a shorter one would shorten the time for calls after a completion.
    private static let setup = HostSetup(["grace-period": "5s"])

    @Test(arguments: ["handler", "thread", "later-thread"])
    func `thirty requests that a C plugin submits, each after its task's completion, are recorded and run`(from: String)
        async throws
    {
        var plugin = TestPlugin("SubmitsAfterwards")
        plugin.settings["from"] = from
        let links = 30
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            let lost = try await host.lostLinks(of: plugin.task(), of: plugin, launches: links)
            #expect(lost == 0, "\(lost) of \(links) links were lost")
            let statuses = host.containerText(plugin, "statuses.txt").split(separator: "\n")
            #expect(statuses == Array(repeating: "BGT_OK", count: links))
        }
    }

    @Test(
        arguments: BuiltLibrary.allCases,
        [
            "closure", "queue", "main-queue", "asynchronous-queue", "main-actor", "swift-task", "later-swift-task",
            "later-await", "later-await-after-closure", "later-timer", "later-main-queue", "later-callback",
            "async-handler",
        ]
    )
    func `eight requests that a Swift plugin submits, each after its task's completion, are recorded and run`(
        _ library: BuiltLibrary,
        from: String
    ) async throws {
        let plugin = TestPlugin.part("SubmitsAfterwards", library, settings: ["from": from])
        let links = 8
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.started(plugin)
            let lost = try await host.lostLinks(of: plugin.task("report"), of: plugin, launches: links)
            #expect(lost == 0, "\(lost) of \(links) links were lost")
        }
    }

    @Test(arguments: BuiltLibrary.allCases)
    func `four requests that a Swift expiration handler submits, each after the completion, are recorded and run`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("SubmitsAfterwards", library, settings: ["from": "expiration-handler"])
        try await HostFixture.with(Self.setup, plugins: [plugin]) { host in
            try await host.started(plugin)
            let lost = try await host.lostLinks(of: plugin.task("report"), of: plugin, launches: 4) {
                try await host.expireOnceEntered(plugin.task("report"))
            }
            #expect(lost == 0)
        }
    }
}

/// Number of launches of each chain of `make chains`; nil in other runs.
private let manyLinks = ProcessInfo.processInfo.environment["BGTASK_CHAIN_LINKS"].flatMap { Int($0) }

@Suite(
    "Long chains of launches, each for a request that was submitted after the last completion, do not break",
    .enabled(if: manyLinks != nil, "make chains runs a thousand launches of each chain"),
    .proves(34, 53)
)
struct LongChainTests {
    @Test(arguments: ["handler", "thread", "later-thread"])
    func `no link of a long chain of a C plugin is lost`(from: String) async throws {
        let links = try #require(manyLinks)
        var plugin = TestPlugin("SubmitsAfterwards")
        plugin.settings["from"] = from
        try await HostFixture.with(HostSetup(["grace-period": "5s"]), plugins: [plugin]) { host in
            let lost = try await host.lostLinks(of: plugin.task(), of: plugin, launches: links)
            #expect(lost == 0, "\(lost) of \(links) links were lost")
        }
    }

    @Test(arguments: BuiltLibrary.allCases, ["closure", "later-await", "later-await-after-closure", "later-timer"])
    func `no link of a long chain of a Swift plugin is lost, with an await or a timer before the submission or without`(
        _ library: BuiltLibrary,
        from: String
    ) async throws {
        let links = try #require(manyLinks)
        let plugin = TestPlugin.part("SubmitsAfterwards", library, settings: ["from": from])
        try await HostFixture.with(HostSetup(["grace-period": "5s"]), plugins: [plugin]) { host in
            try await host.started(plugin)
            let lost = try await host.lostLinks(of: plugin.task("report"), of: plugin, launches: links)
            #expect(lost == 0, "\(lost) of \(links) links were lost")
        }
    }
}

extension HostFixture {
    /// Launches a task repeatedly, each time for the request that the previous launch submitted; the test submits the
    /// first request, and a new one for each lost one. Expects that every task succeeds, that no launch has a
    /// violation, and that no submission is refused.
    ///
    /// - Parameter duringLaunch: called after each launch was requested.
    /// - Returns: the number of launches that left no request behind.
    fileprivate func lostLinks(
        of task: String,
        of plugin: TestPlugin,
        launches: Int,
        sourceLocation: SourceLocation = #_sourceLocation,
        duringLaunch: () async throws -> Void = {}
    ) async throws -> Int {
        var lost = 0
        var submission = try await submit(task, earliestBegin: Self.tomorrow)
        for _ in 0..<launches {
            // Each wait reads the entries of its launch alone, so that the cost of a launch does not grow with the chain.
            let begin = try await journalEnd()
            _ = try await client.run([identifier(task)])
            try await duringLaunch()
            let end = try await outcome(of: submission, after: begin)
            #expect(end.event == "succeeded", sourceLocation: sourceLocation)
            _ = try await self.end(ofLaunch: try #require(end.launch), after: begin)
            if let next = try await client.tasks().pending.first(where: { $0.identifier == task }) {
                submission = next.submission
            } else {
                lost += 1
                submission = try await submit(task, earliestBegin: Self.tomorrow)
            }
        }
        let violations = try await journal().filter { $0.event == "violation" }.map(\.message)
        #expect(violations == [], sourceLocation: sourceLocation)
        #expect(!log.contains { $0.contains("not scheduled") }, sourceLocation: sourceLocation)
        return lost
    }
}

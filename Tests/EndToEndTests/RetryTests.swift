// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A failed task is retried if the operator accepts the manifest's proposal")
struct RetryTests {
    private static let fail = "symbol: plain_fail, arguments: [], returns: { int32: success-when-zero }"

    /// A plugin whose function `plain_fail` always fails, and which proposes one retry after an hour.
    private static func plugin(policy: (String) -> [String]) -> TestPlugin {
        var plugin = TestPlugin("Plain", tasks: ["fail"])
        plugin.handlers = ["fail": fail]
        plugin.manifestLines = ["retry: { \(plugin.task()): { attempts: 2, delay: 1h, jitter: 0 } }"]
        plugin.policy = policy(plugin.task())
        return plugin
    }

    @Test(.proves(55))
    func `a failed function runs again, its failure survives a restart, and its last attempt ends it`() async throws {
        let plugin = Self.plugin { _ in ["retry: accept"] }
        try await HostFixture.with(HostSetup(["spacing": "0s"]), plugins: [plugin]) { host in
            let task = plugin.task()
            let submission = try await host.submit(task, payload: [7])
            let first = try await host.outcome(of: submission)
            #expect(first.event == "retrying" && first.message.contains("attempt 1 of 2 failed"), "\(first)")
            _ = try await host.end(ofLaunch: try #require(first.launch))

            let why = try await host.why(task)
            #expect(why.codes == ["retry-delay"] && why.submission == submission)
            #expect(why.reasons.first?.message.contains("attempt 1 of 2 failed") == true)
            let shown = try await host.bgtask("launch", "show", "\(first.launch ?? 0)").output
            #expect(shown.contains("retrying"), "\(shown)")

            try await host.stop()
            try await host.restart()
            #expect(try await host.client.tasks().pending.map(\.failures) == [1])
            #expect(try await host.bgtask("task", "list").output.contains("1x"))
            _ = try await host.client.run([try #require(TaskIdentifier(task))])
            let last = try await host.waitForJournal("the last failure") {
                $0.submission == submission && $0.event == "failed"
            }
            #expect(last.message.contains("attempt 2 of 2 failed, and no retry is left"), "\(last)")
            _ = try await host.end(ofLaunch: try #require(last.launch))
            let ended = try await host.bgtask("why", task).output
            #expect(ended.contains("it ended as failed") && ended.contains("no retry is left"), "\(ended)")
        }
    }

    @Test(.proves(55)) func `a proposal that the operator does not accept has no effect, and plugin show displays it`()
        async throws
    {
        let plugin = Self.plugin { _ in [] }
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "failed" && !end.message.contains("attempt"), "\(end)")
            let shown = try await host.bgtask("plugin", "show", plugin.identifier).output
            #expect(shown.contains("\(plugin.task()): not retried; the manifest proposes 2 attempts"), "\(shown)")
        }
    }

    @Test func `the operator's terms override the proposal`() async throws {
        let plugin = Self.plugin { ["retry: { \($0): { delay: 1s } }"] }
        try await HostFixture.with(HostSetup(["spacing": "0s"]), plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task())
            _ = try await host.waitForJournal("the last failure") {
                $0.submission == submission && $0.event == "failed"
            }
            let outcomes = try await host.journal().filter { $0.submission == submission }.map(\.event)
            #expect(outcomes == ["retrying", "failed"])
        }
    }
}

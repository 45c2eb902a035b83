// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import Testing

@Suite("Every call of complete ends its task", .proves("BGT-ABI-09"))
struct CompletionRuleTests {
    @Test func `a completion with a number that is no outcome counts as failed and is a violation`() async throws {
        let plugin = TestPlugin("CompletesWithNumbers", tasks: ["zero", "negative", "later", "failure"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submissions = try await host.submitTogether(plugin)
            var ends: [JournalLine] = []
            for submission in submissions { ends.append(try await host.outcome(of: submission)) }
            #expect(ends.allSatisfy { $0.event == "failed" })
            // The plugin records a status after the completion, which the host has journaled by then.
            for launch in Set(ends.compactMap(\.launch)) { _ = try await host.end(ofLaunch: launch) }
            let statuses = host.containerText(plugin, "statuses.txt").split(separator: "\n").sorted()
            #expect(statuses == ["failure BGT_OK", "later BGT_TOO_NEW", "negative BGT_INVALID", "zero BGT_INVALID"])
            #expect(ends.contains { $0.message.contains(": minus one") })
            let message = try #require(ends.first { $0.message.contains("the disk is full") }).message
            #expect(!message.contains("\u{1b}"))
            let violations = try await host.journal().filter { $0.event == "violation" }
            #expect(violations.count == 3 && violations.allSatisfy { $0.message.contains("BGT-ABI-09") })
        }
    }

    @Test(.proves("BGT-ABI-12"))
    func `an expiration handler submits and completes, and the interrupted work completes again without a violation`()
        async throws
    {
        let plugin = TestPlugin("SubmitsWhenExpiring", policy: ["budgets: { processing: 700ms }", "grace-period: 30s"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "failed" && end.message.contains("expired: budget"))
            _ = try await host.end(ofLaunch: try #require(end.launch))
            let statuses = host.containerText(plugin, "statuses.txt")
            #expect(statuses == "submit BGT_OK\ncomplete BGT_OK\nagain BGT_ALREADY_COMPLETED\n")
            #expect(try await host.journal().contains { $0.event == "violation" } == false)
            #expect(try await host.client.tasks().pending.map(\.identifier) == [plugin.task()])
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A Swift plugin's loop over remaining items continues in the next launch")
struct SwiftResumingTests {
    @Test(.proves("C19"), arguments: BuiltLibrary.allCases)
    func `each item of a Swift loop is done once, over a SIGKILL and an expiration, and no attempt is charged`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("RemainingItems", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            let task = plugin.task("db-cleaning")
            try await host.started(plugin)
            let submission = try await host.submit(task)
            try await host.wait(for: "waits", of: plugin)
            _ = try await host.client.simulateExpiration(of: host.identifier(task))
            let success = try await host.waitForJournal("its success") {
                $0.submission == submission && $0.event == "succeeded"
            }
            _ = try await host.end(ofLaunch: try #require(success.launch))
            let items = host.notes(plugin).filter { $0.hasPrefix("item ") }
            let runs = host.notes(plugin).filter { $0.hasPrefix("run") }
            let all = (0..<30).map { "item \($0)" }
            #expect(items == all && runs == Array(repeating: "run, attempt 1", count: 3))
            let ends = try await host.journal().filter {
                $0.submission == submission && TaskOutcome(rawValue: $0.event) != nil
            }
            #expect(ends.map(\.event) == ["continues", "continues", "succeeded"])
            #expect(try await host.bgtask("task", "cursor", task).status != 0)
        }
    }

    @Test(.proves("C19"), arguments: BuiltLibrary.allCases)
    func `a Swift loop on the main actor works through items that are not Sendable`(_ library: BuiltLibrary)
        async throws
    {
        let plugin = TestPlugin.part("RemainingItems", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.run(plugin, "report")
            #expect(end.event == "succeeded")
            #expect(host.notes(plugin) == (1...5).map { "row \($0)" })
        }
    }
}

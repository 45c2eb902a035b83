// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import Testing

@Suite("Writes behind the structs of a host's minor version fail in entry, and queries report the features of the host")
struct ABIGrowthTests {
    @Test(
        .proves("BGT-ABI-03"),
        arguments: [("new", "BGT_TOO_NEW", "ask BGTASK_HAS"), ("reserved", "BGT_INVALID", "leave it zero")]
    )
    func `entry fails when the plugin wrote behind its hooks or into reserved fields`(
        field: String,
        status: String,
        remedy: String
    ) async throws {
        var plugin = TestPlugin("WritesBehindHooks")
        plugin.settings = ["field": field]
        let identifier = plugin.identifier
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let entry = try await host.waitForJournal("the failed entry") {
                $0.event == "entry-failed" && $0.plugin == identifier
            }
            #expect(entry.message.contains(status))
            let line = try await host.violation(in: try #require(entry.launch))
            #expect(line.names(plugin, rule: "BGT-ABI-03", remedy: remedy), "\(line)")
            try await host.runNeighbour()
        }
    }

    @Test(.proves("BGT-ABI-03"))
    func `a plugin that writes only the hooks of its bgt_plugin enters and completes its task`()
        async throws
    {
        let plugin = TestPlugin("WritesBehindHooks")
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
        }
    }

    @Test(.proves("BGT-ABI-19", "BGT-ABI-06"))
    func `queries for unknown features return no table, unknown numbers are named unknown, and refusals have messages`()
        async throws
    {
        let plugin = TestPlugin("AsksFeatures")
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            let before = host.containerText(plugin, "answers.txt")
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            let lines = host.containerText(plugin, "answers.txt").dropFirst(before.count).split(separator: "\n")
            try #require(lines.count == 6)
            #expect(lines[0...3] == ["bgtask 1", "1 1 1", "1 1 1", "BGT_EXPIRED_NETWORK_LOST unknown unknown"])
            #expect(lines[4].hasPrefix("BGT_NOT_PERMITTED legacy fetch requires a manifest"))
            #expect(lines[5].hasPrefix("BGT_NOT_PERMITTED \"com.example.other.task\" was registered"))
            #expect(host.log.contains { $0.contains("a line about the task") })
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import Testing

@Suite("The process of a launch belongs to the host, also when a plugin forks or ends a thread")
struct ForkTests {
    @Test(.proves("BGT-ABI-08", "BGT-ABI-16"))
    func `calls in a forked process have no effect, and programs of a plugin end at a broken pipe`() async throws {
        var plugin = TestPlugin("ForksAndCalls")
        plugin.grants = "processes: true, execute: [/bin, /usr], read: [/lib, /usr]"
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            #expect(host.containerText(plugin, "child.txt") == "BGT_ENDED BGT_ENDED 1 0\n")
            #expect(host.containerText(plugin, "pipe.txt") == "ended\n")
            #expect(!host.log.contains { $0.contains("a line of a forked process") })
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test(.proves("BGT-ABI-15")) func `a handler that ends its thread is a violation, and its launch ends`()
        async throws
    {
        let plugin = TestPlugin("ExitsThread")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            let launch = try #require(end.launch)
            #expect(try await host.end(ofLaunch: launch).event == "launch-completed")
            let line = try await host.violation(in: launch)
            #expect(line.names(plugin, rule: "BGT-ABI-15", remedy: "return from the callback"), "\(line)")
            #expect(host.containerText(plugin, "stopped.txt") == "stopped\n")
            try await host.runNeighbour()
        }
    }

    @Test(.proves("BGT-ABI-16"), arguments: [true, false])
    func `signal handlers set by a library are a violation unless the library contains the runtime of Go`(
        isOfGo: Bool
    ) async throws {
        var plugin = TestPlugin("ChainsHandlers")
        plugin.library = .compiled("ChainsHandlers", flags: isOfGo ? ["-DGO_RUNTIME"] : [])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            let launch = try #require(end.launch)
            #expect(try await host.end(ofLaunch: launch).event == "launch-completed")
            let violations = try await host.journal().filter { $0.event == "violation" && $0.launch == launch }
            #expect(violations.count == (isOfGo ? 0 : 2))
            #expect(violations.allSatisfy { $0.message.contains("leave the runner's handler in place") })
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import Testing

@Suite("A plugin that damages its own process harms no other plugin")
struct HostilePluginTests {
    private static func plugin(_ name: String) -> TestPlugin {
        TestPlugin(name, policy: ["grace-period: 200ms"])
    }

    @Test func `invalid bytes on the control channel end the launch and are journaled as a violation`() async throws {
        let plugin = Self.plugin("WritesToChannel")
        try await HostFixture.with(HostSetup(["retry-delay": "1h"]), plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let end = try await host.outcome(of: submission)
            #expect(end.names(plugin, rule: "attempt 1 of 3", remedy: "again in 1h") && end.event == "exited", "\(end)")
            let violation = try await host.violation(in: try #require(end.launch))
            #expect(violation.names(plugin, rule: "BGT-ABI-16", remedy: "do not touch descriptors"), "\(violation)")
            try await host.withstands(submission: submission)
            _ = try await host.client.cancel(host.identifier(plugin.task()))
        }
    }

    @Test
    func `a flood of forged messages delays no other plugin, and at most 20 violations of a launch are journaled`()
        async throws
    {
        let plugin = Self.plugin("FloodsChannel")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let launch = try await host.launch(of: plugin)
            _ = try await host.violation(in: launch.number)
            try await host.withstands(submission: submission)
            try await host.expireOnceEntered(plugin.task())
            let end = try await host.outcome(of: submission)
            #expect(end.names(plugin, rule: "expired (stopped by a user)", remedy: "set one"), "\(end)")
            _ = try await host.end(ofLaunch: launch.number)
            #expect(!host.runnerProcesses().contains(launch.pid))
            let reported = try await host.journal().filter { $0.event == "violation" && $0.launch == launch.number }
            #expect(reported.count == 20 && reported.allSatisfy { $0.blame == "plugin" })
            #expect(reported.last?.message.contains("further violations of this launch are not journaled") == true)
        }
    }

    @Test
    func `a launch whose process closes its control channel ends as exited, and an attempt is charged to its task`()
        async throws
    {
        let plugin = Self.plugin("ClosesDescriptors")
        try await HostFixture.with(HostSetup(["retry-delay": "1h"]), plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let end = try await host.outcome(of: submission)
            #expect(end.names(plugin, rule: "attempt 1 of 3", remedy: "again in 1h") && end.event == "exited", "\(end)")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            try await host.withstands(submission: submission)
            _ = try await host.client.cancel(host.identifier(plugin.task()))
        }
    }

    @Test func `a process that stops itself with SIGSTOP is killed after its expiration`() async throws {
        let plugin = Self.plugin("StopsItself")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            try await host.waitForLog("its launch") { $0.contains("launched") && $0.contains(plugin.task()) }
            try await host.withstands(submission: submission)
            try await host.expireOnceEntered(plugin.task())
            let end = try await host.outcome(of: submission)
            #expect(end.event == "expired" && end.names(plugin, rule: "expired", remedy: "set one"), "\(end)")
            #expect(try await host.end(ofLaunch: try #require(end.launch)).event == "launch-overran")
        }
    }

    @Test func `a flood of output delays no other plugin, and most of it is dropped from the log`() async throws {
        let plugin = TestPlugin("FloodsOutput").lingering
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            try await host.waitForLog("the flood") { $0.contains("of a flood") }
            try await host.withstands(submission: submission)
            try host.letGo(plugin)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded")
            let violation = try await host.violation(in: try #require(end.launch))
            #expect(violation.names(plugin, rule: "1000 lines at once", remedy: "write less"), "\(violation)")
            #expect(violation.message.contains("stdout lines above this rate"))
            _ = try await host.end(ofLaunch: try #require(end.launch))
            try await host.waitForLog("the last line") { $0.contains("the flood is over") }
            #expect(host.log.count { $0.contains("of a flood") } < 20_000)
            #expect(host.log.contains { $0.contains("lines dropped") })
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Health research is processing with an entitlement and a protected container", .proves(70))
struct HealthResearchTests {
    private static func studies(_ flags: String, grants: String = "health-research: true") -> TestPlugin {
        var plugin = TestPlugin("Studies", tasks: ["study"])
        plugin.grants = grants
        plugin.settings = ["submits": flags]
        return plugin
    }

    private func endOfStudy(_ plugin: TestPlugin, on host: HostFixture) async throws -> JournalLine {
        try await host.waitForJournal("the end of the study") {
            $0.task == plugin.task("study") && TaskOutcome(rawValue: $0.event) != nil
        }
    }

    @Test(.proves(70), arguments: ["0x0", "0x102", "0x201", "0x303"])
    func `a health research task runs in the background lane and gets its requirements and protection type as flags`(
        flags: String
    ) async throws {
        let plugin = Self.studies(flags)
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            #expect(started.event == "succeeded")
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_OK 0\n")
            _ = try await host.launch(of: plugin)
            try host.release(plugin)
            let end = try await endOfStudy(plugin, on: host)
            #expect(end.event == "succeeded")
            #expect(host.containerText(plugin, "info.txt") == "3 \(flags)\n")
        }
    }

    @Test(.proves(70))
    func `without the entitlement a health research request is refused, from the plugin and from the command`()
        async throws
    {
        let plugin = Self.studies("0x0", grants: "")
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            #expect(started.event == "succeeded")
            // Sub-reason: entitlement missing.
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED 25\n")
            let refusal = await host.refusal(of: plugin.task("study"), .healthResearch)
            #expect(refusal == "403 not-permitted entitlement-missing")
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test(.proves(4)) func `without the mode processing a health research request is refused`() async throws {
        var plugin = Self.studies("0x0")
        plugin.modes = ["fetch"]
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            #expect(started.event == "succeeded")
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED 22\n")
        }
    }

    // MARK: Protection

    private func lock(_ plugin: TestPlugin, _ script: ConditionsSimulation.Script, on host: HostFixture) async throws {
        let identifier = try #require(PluginIdentifier(plugin.identifier))
        _ = try await host.client.simulateConditions(ConditionsSimulation([:], lockedContainers: [identifier: script]))
    }

    private func waitForStudy(on host: HostFixture) async throws {
        try await host.waitForLog("the study runs") { $0.contains("the study has begun") }
    }

    @Test(.proves(70)) func `a lock of the container expires a health research task with complete protection`()
        async throws
    {
        let plugin = Self.studies("0x300")
        try await HostFixture.with(plugins: [plugin]) { host in
            try await waitForStudy(on: host)
            try await lock(plugin, .holds(true), on: host)
            let end = try await endOfStudy(plugin, on: host)
            #expect([end.event, end.blame] == ["failed", "machine"])
            #expect(end.message.contains("container locked"))
            #expect(host.containerText(plugin, "stopped.txt") == "\(ExpirationReason.containerLocked.rawValue)\n")
        }
    }

    @Test(.proves(70), arguments: ["0x0", "0x200"])
    func `a health research task without complete protection continues after its container is locked`(flags: String)
        async throws
    {
        let plugin = Self.studies(flags)
        try await HostFixture.with(plugins: [plugin]) { host in
            try await waitForStudy(on: host)
            try await lock(plugin, .holds(true), on: host)
            let states = try await host.client.host().conditions.lockedContainers
            #expect(states?[plugin.identifier] == .init(true, source: .simulated))
            try host.release(plugin)
            #expect(try await endOfStudy(plugin, on: host).event == "succeeded")
            #expect(host.containerText(plugin, "stopped.txt").isEmpty)
        }
    }

    @Test(.proves(70)) func `a health research request with a locked container waits with the reason container-locked`()
        async throws
    {
        let plugin = Self.studies("0x302")
        try await HostFixture.with(HostSetup(["external-power": "false"]), plugins: [plugin]) { host in
            _ = try await host.started(plugin)
            let locked = try await host.bgtask(
                "simulate",
                "conditions",
                "--locked",
                plugin.identifier,
                "--external-power",
                "true"
            )
            #expect(locked.output.contains("container of \(plugin.identifier): simulated"))
            let why = try await host.why(plugin.task("study"))
            #expect(why.reasons.map(\.code) == ["container-locked"])
            let twice = try await host.bgtask(
                "simulate",
                "conditions",
                "--locked",
                plugin.identifier,
                "--real",
                plugin.identifier
            )
            #expect(twice.status == 2 && twice.error.contains("named twice"))

            try await lock(plugin, .real, on: host)
            try await waitForStudy(on: host)
            try host.release(plugin)
            #expect(try await endOfStudy(plugin, on: host).event == "succeeded")
        }
    }
}

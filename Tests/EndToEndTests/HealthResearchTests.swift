// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import TaskModel
import Testing

@Suite("Health research is processing with an entitlement and a container that can be read (70)")
struct HealthResearchTests {
    private static func studies(_ flags: String, entitlements: [String] = ["healthresearch"]) -> TestPlugin {
        var plugin = TestPlugin("Studies", tasks: ["study"])
        plugin.entitlements = entitlements
        plugin.settings = ["submits": flags]
        return plugin
    }

    private func endOfStudy(_ plugin: TestPlugin, on host: HostFixture) async throws -> JournalLine {
        try await host.waitForJournal("the end of the study") {
            $0.task == plugin.task("study") && TaskOutcome(rawValue: $0.event) != nil
        }
    }

    @Test(arguments: ["0x0", "0x102", "0x201", "0x303"])
    func `70: it runs with its needs and its protection type, in the background lane`(flags: String) async throws {
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

    @Test func `70: without the entitlement it is refused, from inside and from outside`() async throws {
        let plugin = Self.studies("0x0", entitlements: [])
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            #expect(started.event == "succeeded")
            // The entitlement is missing.
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED 25\n")
            let refusal = await host.refusal(of: plugin.task("study"), .healthResearch)
            #expect(refusal == "403 not-permitted entitlement-missing")
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test func `4: without the mode processing it is refused`() async throws {
        var plugin = Self.studies("0x0")
        plugin.modes = ["fetch"]
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            #expect(started.event == "succeeded")
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED 22\n")
        }
    }
}

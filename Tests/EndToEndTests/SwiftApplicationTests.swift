// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Code that a plugin shares with an app can use the app's application object")
struct SwiftApplicationTests {
    @Test(.proves(81, 83), arguments: [BuiltLibrary.swift5, .swift6])
    func `background time from UIApplication keeps a plugin's launch open until the plugin ends that time`(
        mode: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("ApplicationObject", mode)
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let end = try await host.outcome(of: try await host.begin(plugin, "refresh", .refresh))
            let launch = try #require(end.launch)
            #expect(end.event == "succeeded")
            try await host.withstands(launch: launch)
            #expect(Set(host.notes(plugin)) == ["state background, refresh available", "begun: true, time: true"])
            try host.release(plugin)
            #expect(try await host.end(ofLaunch: launch).event == "launch-completed")
            #expect(host.notes(plugin).last == "flushed")
        }
    }

    @Test(.proves(81, 83), arguments: [BuiltLibrary.swift5, .swift6])
    func `the expiration handler of background time from UIApplication runs on the main thread`(
        mode: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("ApplicationObject", mode, settings: ["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "begun", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            #expect(host.notes(plugin).contains("time is up on the main thread: true"))
        }
    }
}

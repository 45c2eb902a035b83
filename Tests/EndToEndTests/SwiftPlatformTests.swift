// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Extensions of Apple's API on this platform are available to Swift plugins")
struct SwiftPlatformTests {
    private static func plugin(_ settings: [String: String] = [:]) -> TestPlugin {
        .part("AsyncHandlers", .swift6, settings: settings)
    }

    @Test(.proves("C11"))
    func `an async event handler receives the event, settings and launch, and stop is the last call`()
        async throws
    {
        let plugin = Self.plugin(["colour": "red"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.started(plugin)
            #expect(end.event == "succeeded" && !end.message.contains("sets no receiver for events"))
            _ = try await host.end(ofLaunch: try #require(end.launch))
            #expect(
                host.notes(plugin) == [
                    "event started of \(plugin.identifier)", "colour: red, size: none",
                    "launched as \(plugin.identifier)", "stopping",
                ]
            )
        }
    }

    @Test(.proves(55)) func `an async handler's return completes the task, and a thrown error fails it`() async throws {
        let plugin = Self.plugin()
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh, payload: "red").event == "succeeded")
            #expect(host.notes(plugin).contains("refresh with red, attempt 1"))
            #expect(host.notes(plugin).contains("time remaining: true"))
            #expect(try await host.run(plugin, "refresh", .refresh, payload: "old").event == "no-data")
            #expect(try await host.run(plugin, "refresh", .refresh, payload: "trouble").event == "failed")
            #expect(host.log.contains { $0.contains("\(plugin.task("refresh")) failed: Trouble()") })
        }
    }

    @Test(.proves(60)) func `an expiration cancels the Swift task of an async handler, which receives the reason`()
        async throws
    {
        let plugin = Self.plugin(["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "time remaining", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "failed")
            let note = try #require(host.notes(plugin).first { $0.hasPrefix("cancelled: ") })
            #expect(note.hasPrefix("cancelled: true, Optional("), "\(note)")
            // An expiration is no fault: no error is logged.
            #expect(!host.log.contains { $0.contains("failed: CancellationError") })
        }
    }

    @Test(.proves(56, 60)) func `an expiration handler that Swift code sets while its task expires is called`()
        async throws
    {
        let plugin = Self.plugin(["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh, payload: "late")
            try await host.wait(for: "time remaining", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "failed")
            #expect(host.notes(plugin).contains("expired late"))
        }
    }

    @Test(.proves(81, 83)) func `an expired background assertion's handler receives the assertion's identifier`()
        async throws
    {
        let plugin = TestPlugin.part("Assertions", .swift6, settings: ["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "begun", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "failed")
            let notes = host.notes(plugin)
            let number = try #require(notes.first?.dropFirst("begun: ".count))
            #expect(number != "0" && notes == ["begun: \(number)", "must end: \(number)"])
        }
    }

    @Test(.proves(81, 83))
    func `a background assertion keeps a Swift plugin's launch open until the plugin ends the assertion`()
        async throws
    {
        let plugin = TestPlugin.part("Assertions", .swift6)
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            let end = try await host.outcome(of: submission)
            let launch = try #require(end.launch)
            #expect(end.event == "succeeded")
            try await host.withstands(launch: launch)
            #expect(host.notes(plugin) == ["begun: true, time: true"])
            try host.release(plugin)
            #expect(try await host.end(ofLaunch: launch).event == "launch-completed")
            #expect(host.notes(plugin).last == "flushed")
        }
    }

    @Test(.proves(20, 37, "C15")) func `a Swift extension cannot register, and its submissions launch the main plugin`()
        async throws
    {
        var main = Self.plugin()
        var child = TestPlugin.extension("ColorPicker", of: &main)
        child.library = .built(.swift6)
        child.settings = ["part": "ExtensionSubmission"]
        try await HostFixture.with(plugins: [main, child]) { host in
            let identifier = try #require(PluginIdentifier(child.identifier))
            let trigger = PluginTrigger(payload: Array("blue".utf8))
            let event = try await host.client.trigger(identifier, trigger).submission
            #expect(try await host.outcome(of: event).event == "succeeded")
            let task = main.task("refresh")
            let end = try await host.waitForJournal("the main plugin's task") { $0.task == task }
            #expect(end.event == "succeeded" && end.plugin == main.identifier)
            // Main plugin and extension share one container.
            #expect(host.notes(main).contains("an extension registers: false"))
            #expect(host.notes(main).contains("refresh with blue, attempt 1"))
            let violation = try await host.waitForJournal("the violation") { $0.event == "violation" }
            #expect(violation.plugin == child.identifier && violation.message.contains("BGT-ABI-11"))
        }
    }

    @Test(.proves(84)) func `a Swift plugin without permitted identifiers receives a legacy fetch`()
        async throws
    {
        var plugin = TestPlugin.part("LegacyFetch", .swift6)
        plugin.tasks = []
        plugin.modes = ["fetch"]
        let setup = HostSetup(["minimum-fetch-interval": "1s"])
        try await HostFixture.with(setup, plugins: [plugin]) { host in
            let end = try await host.waitForJournal("a fetch") { $0.task == "fetch" && $0.event == "no-data" }
            #expect(end.plugin == plugin.identifier && host.notes(plugin).contains("fetch"))
            #expect(host.notes(plugin).first == "fetches: true")
        }
    }

    @Test(.proves(81, 83), arguments: BuiltLibrary.allCases)
    func `an expiring activity of a Swift plugin keeps the launch open until its block returns`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("ExpiringActivity", library)
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let end = try await host.outcome(of: try await host.begin(plugin, "refresh", .refresh))
            let launch = try #require(end.launch)
            try await host.wait(for: "uploading", of: plugin)
            try await host.withstands(launch: launch)
            try host.release(plugin)
            #expect(try await host.end(ofLaunch: launch).event == "launch-completed")
            #expect(host.notes(plugin) == ["uploading", "uploaded"])
        }
    }

    @Test(.proves(81, 83))
    func `an activity that begins while its Swift plugin expires calls its block once, with true`() async throws {
        let plugin = TestPlugin.part("ExpiringActivity", .swift6, settings: ["refused": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "waiting", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            let end = try await host.outcome(of: submission)
            _ = try await host.end(ofLaunch: try #require(end.launch))
            #expect(host.notes(plugin) == ["waiting", "expired: true"])
        }
    }

    @Test(.proves(81, 83)) func `an expiration calls the block of a Swift plugin's activity a second time`()
        async throws
    {
        let plugin = TestPlugin.part("ExpiringActivity", .swift6, settings: ["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "uploading", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            let end = try await host.outcome(of: submission)
            _ = try await host.end(ofLaunch: try #require(end.launch))
            #expect(host.notes(plugin) == ["uploading", "expired", "uploaded"])
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import TaskModel
import Testing

@Suite("What this platform has beside Apple's API reaches plugins in Swift")
struct SwiftPlatformTests {
    private static func plugin(_ settings: [String: String] = [:]) -> TestPlugin {
        .part("AsyncHandlers", .swift6, settings: settings)
    }

    @Test func `an event is taken by an async handler, which reads settings and launch; stop is the last call (C11)`()
        async throws
    {
        let plugin = Self.plugin(["colour": "red"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.started(plugin)
            #expect(end.event == "succeeded" && !end.message.contains("takes no events"))
            _ = try await host.end(ofLaunch: try #require(end.launch))
            #expect(
                host.notes(plugin) == [
                    "event started of \(plugin.identifier)", "colour: red, size: none",
                    "launched as \(plugin.identifier)", "stopping",
                ]
            )
        }
    }

    @Test func `an async handler's return completes the task, and an error fails it (55)`() async throws {
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

    @Test func `expiration cancels the Swift task of an async handler, which knows the reason (60)`() async throws {
        let plugin = Self.plugin(["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "time remaining", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "failed")
            let note = try #require(host.notes(plugin).first { $0.hasPrefix("cancelled: ") })
            #expect(note.hasPrefix("cancelled: true, Optional("), "\(note)")
            // Expiring is no fault: nothing is logged as an error.
            #expect(!host.log.contains { $0.contains("failed: CancellationError") })
        }
    }

    @Test func `work after the completion holds the launch until it is ended (81, 83)`() async throws {
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
}

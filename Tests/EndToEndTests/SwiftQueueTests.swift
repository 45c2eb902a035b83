// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Queue, isolation and language mode determine on which thread a Swift handler and its expiration handler run")
struct SwiftQueueTests {
    /// Whether a closure that was written in main-actor code runs on the main thread.
    private static func isMain(_ library: BuiltLibrary, _ queue: String) -> Bool {
        queue == "main" || library == .swift6
    }

    @Test(.proves(51, 60), arguments: ["none", "named", "main"])
    func `a blocking handler of main-actor code runs in Swift 5 on its queue and expires`(queue: String) async throws {
        let notes = [
            "queue \(queue), main thread: \(Self.isMain(.swift5, queue))", "the handler is set during its call: false",
        ]
        try await expire("actor", .swift5, queue, expecting: notes)
    }

    @Test(.proves(51, 60), arguments: ["none", "named", "main"])
    func `a main-actor expiration handler of Swift 6 runs after the main-actor handler that blocks the main thread`(
        queue: String
    ) async throws {
        let notes = [
            "queue \(queue), main thread: true", "expired on the main thread: true, after the handler: true",
        ]
        try await expire("shared", .swift6, queue, expecting: notes)
    }

    @Test(.proves(57, 59), arguments: ["none", "named", "main"])
    func `a main-actor handler of Swift 6 that blocks the main thread until its expiration handler is called overruns`(
        queue: String
    ) async throws {
        let plugin = TestPlugin.part("QueueShapes", .swift6, settings: ["queue": queue, "shape": "actor"])
        try await HostFixture.with(HostSetup(["grace-period": "2s"]), plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "queue", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "overran")
            #expect(host.notes(plugin) == ["queue \(queue), main thread: true"])
        }
    }

    @Test(.proves(51, 60), arguments: BuiltLibrary.allCases, ["none", "named", "main"])
    func `a blocking Sendable handler in main-actor code runs on its queue and expires`(
        _ library: BuiltLibrary,
        queue: String
    ) async throws {
        let notes = ["queue \(queue), main thread: \(queue == "main")", "the handler is set during its call: false"]
        try await expire("sendable", library, queue, expecting: notes)
    }

    @Test(.proves(51, 60), arguments: BuiltLibrary.allCases, ["none", "named", "main"])
    func `closures inside a main-actor handler and its expiration handler run, in Swift 6 on the main thread`(
        _ library: BuiltLibrary,
        queue: String
    ) async throws {
        let isMain = Self.isMain(library, queue)
        let notes = ["queue \(queue), main thread: \(isMain)", "expired on the main thread: \(isMain)"]
        try await expire("nested", library, queue, expecting: notes)
    }

    private func expire(
        _ shape: String,
        _ library: BuiltLibrary,
        _ queue: String,
        expecting notes: [String]
    ) async throws {
        let plugin = TestPlugin.part("QueueShapes", library, settings: ["queue": queue, "shape": shape])
        // A handler that blocks the main queue receives its expiration after a second.
        try await HostFixture.with(HostSetup(["grace-period": "10s"]), plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: try #require(notes.first), of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "succeeded")
            #expect(host.notes(plugin) == notes)
        }
    }
}

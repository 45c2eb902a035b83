// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A Swift handler runs on the queue of its registration, and its expiration handler is called while it blocks")
struct SwiftQueueTests {
    @Test(.proves(51, 60), arguments: BuiltLibrary.allCases, ["none", "named", "main"])
    func `a handler written in main-actor code runs on its queue, blocks it, and receives its expiration`(
        _ library: BuiltLibrary,
        queue: String
    ) async throws {
        let plugin = TestPlugin.part("QueueShapes", library, settings: ["queue": queue])
        // A handler on the main queue receives its expiration after a second.
        try await HostFixture.with(HostSetup(["grace-period": "10s"]), plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            let place = "queue \(queue), main thread: \(queue == "main")"
            try await host.wait(for: place, of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "succeeded")
            #expect(host.notes(plugin) == [place, "the handler is set during its call: false"])
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("Permissions that a plugin takes away by a descriptor concern its own files, and those of its container return")
struct PermissionTests {
    /// Runs a plugin that sets the mode of its container to 0 three times, with a restart of the host before the last
    /// launch.
    private func closeContainer(_ setup: HostSetup) async throws {
        let plugin = TestPlugin("ClosesContainer")
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            for count in 1...3 {
                if count == 3 {
                    try await host.stop()
                    try await host.restart()
                }
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded", "\(end)")
                _ = try await host.end(ofLaunch: try #require(end.launch))
                #expect(host.containerText(plugin, "ran.txt") == String(repeating: "ran\n", count: count))
            }
            let blamed = try await host.journal().filter { $0.plugin == plugin.identifier && $0.blame == "host" }
            #expect(blamed.isEmpty, "\(blamed.map(\.message))")
            try await host.runNeighbour()
        }
    }

    @Test func `a plugin that sets the mode of its container to 0 can use the container in its next launches`()
        async throws
    {
        try await closeContainer(HostSetup())
    }

    @Test(.needsSandboxOfOrdinaryUser)
    func `a plugin with the host's ordinary user that closes its container can use it in its next launches`()
        async throws
    {
        try await closeContainer(HostSetup().ofOrdinaryUser())
    }

    @Test(.needsSystemUser)
    func `a plugin with a user of its own that closes its container can use it under a host with capabilities alone`()
        async throws
    {
        try await closeContainer(HostSetup().ofSystemUser())
    }
}

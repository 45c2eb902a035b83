// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    @Suite("The report of a failed entry names the call that was refused")
    struct EntryCauseTests {
        private struct Entry: Hashable, Sendable {
            let status: Int32
            let cause: String?
        }

        private func entry(of source: String, permitted: [String], _ settings: [String: String] = [:]) async throws
            -> Entry
        {
            let plan = PlayedPlan(permitted: permitted, settings: settings)
            var entry: Entry?
            try await PlayedHost.with(source, plan) { host in
                entry = await host.first { message in
                    if case .entered(let status, _, _, let cause) = message {
                        Entry(status: status, cause: cause)
                    } else {
                        nil
                    }
                }
                host.launcher.kill(PlayedHost.launch)
                await host.events.end(PlayedHost.launch)
            }
            return try #require(entry)
        }

        @Test
        func `the report of an entry with the status of a refused registration names call, identifier and remedy`()
            async throws
        {
            let entry = try await entry(of: "RegistersUnpermitted", permitted: ["another"])
            #expect(entry.status == 3)
            let cause = try #require(entry.cause)
            #expect(cause.hasPrefix("register_handler: \"com.example.registersunpermitted.task\" was registered, but"))
            #expect(cause.contains("add it to permitted-identifiers"))
        }

        @Test func `the report of an entry that returns a status of its own names no refused call`() async throws {
            let entry = try await entry(of: "EntryFails", permitted: ["task"])
            #expect(entry == Entry(status: -7, cause: nil))
        }

        @Test func `the report of an entry that succeeds after a refused call does not name that call`() async throws {
            let entry = try await entry(of: "RegistersUnpermitted", permitted: ["task"])
            #expect(entry == Entry(status: 0, cause: nil))
        }

        @Test func `the report of an entry that wrote behind bgt_plugin names this violation and the offset`()
            async throws
        {
            let entry = try await entry(of: "WritesBehindHooks", permitted: ["task"], ["field": "new"])
            #expect(
                entry.status == 108 && entry.cause?.hasPrefix("entry wrote behind bgt_plugin, at offset 48") == true
            )
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A runner reads a library before it loads the library, unless the host has examined the same file")
    struct ExaminedLibraryTests {
        /// A library with an entry function, but without the note of a plugin: an examination refuses it.
        private static let code = "int bgtask_plugin_entry(void *host, void *plugin) { return 41; }"

        private enum Result: Hashable, Sendable {
            case entered(Int32)
            case notLoaded(String)
        }

        private func launch(_ plan: PlayedPlan) async throws -> Result {
            try await withScratch { directory in
                let (source, library) = ("\(directory)/plugin.c", "\(directory)/libplugin.so")
                try Self.code.write(toFile: source, atomically: true, encoding: .utf8)
                try StandIn.compile(["-shared", "-fPIC", "-o", library, source])
                var result: Result?
                try await PlayedHost.with(library: library, of: "com.example.sample", plan) { host in
                    result = await host.first { message in
                        switch message {
                        case .entered(let status, _, _, _): .entered(status)
                        case .loadFailed(let text): .notLoaded(text)
                        default: nil
                        }
                    }
                    host.launcher.kill(PlayedHost.launch)
                    await host.events.end(PlayedHost.launch)
                }
                return try #require(result)
            }
        }

        @Test func `a library that the host has examined is loaded without a second examination`() async throws {
            #expect(try await launch(PlayedPlan(isExamined: true)) == .entered(41))
        }

        @Test func `a library that the host has not examined is examined by the runner and not loaded`() async throws {
            guard case .notLoaded(let message) = try await launch(PlayedPlan()) else {
                Issue.record("the library was loaded")
                return
            }
            #expect(message.contains("note"))
        }

        @Test func `a library that is another file than the examined one is examined by the runner`() async throws {
            let other = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
            guard case .notLoaded = try await launch(PlayedPlan(isExamined: true, identity: other)) else {
                Issue.record("the library was loaded")
                return
            }
        }
    }
}

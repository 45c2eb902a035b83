// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginInstaller
import Synchronization
import Testing

@testable import Commands

@Suite("A plugin is removed with its installed files, and no other file")
struct PluginRemoveTests {
    @Test func `plugin remove --yes deletes manifest and library of the plugin and keeps other plugins`() async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient", in: "operator")
            try await fixture.build("Neighbour", in: "operator")
            #expect(await fixture.run("remove", "com.example.obedient") == .misuse)
            #expect(fixture.installed.count == 4)
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(fixture.installed == ["Neighbour.yaml", "libNeighbour.so"])
            #expect(fixture.terminal.output.contains("30 days"))
        }
    }

    @Test func `plugin remove keeps a library that another manifest names`() async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient", in: "operator")
            let other = "manifest: 1\nidentifier: com.example.other\nlibrary: libObedient.so\n"
            try fixture.directory.write(other.utf8, to: "operator/other.yaml")
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(fixture.installed == ["libObedient.so", "other.yaml"])
        }
    }

    @Test func `plugin remove of an unknown plugin is refused with the path of the manifest directory`() async throws {
        try await PluginCommandFixture.with { fixture in
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .refused)
            #expect(fixture.terminal.error.contains(fixture.directory.file("operator")))
        }
    }
}

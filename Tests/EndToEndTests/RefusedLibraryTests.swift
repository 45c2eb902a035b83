// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A library that must not run is refused before any of its code runs")
struct RefusedLibraryTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let name: String
        let message: String

        var testDescription: String { name }
    }

    static let refused = [
        Refused(name: "NoNote", message: "note"),
        Refused(name: "NewerMajor", message: "major"),
        Refused(name: "NewerMinor", message: "99"),
        Refused(name: "NoEntrySymbol", message: "bgtask_plugin_entry"),
    ]

    @Test(.proves("BGT-ABI-02"), arguments: refused)
    func `an invalid library is refused by examination of its file, with the cause in the catalogue`(_ refused: Refused)
        async throws
    {
        try await expectRefusal(of: TestPlugin(refused.name), message: refused.message)
    }

    @Test func `a text file in place of a library is refused`() async throws {
        var plugin = TestPlugin("Obedient")
        plugin.library = .bytes(Array("this is not a library\n".utf8))
        try await expectRefusal(of: plugin, message: "ELF")
    }

    @Test func `a library for another architecture is refused`() async throws {
        var plugin = TestPlugin("Obedient")
        var bytes = try await PluginCompiler.library("Obedient")
        // e_machine: an architecture other than this machine's.
        bytes[18] = bytes[18] == 183 ? 62 : 183
        plugin.library = .bytes(bytes)
        try await expectRefusal(of: plugin, message: "is built for \(bytes[18] == 183 ? "aarch64" : "x86_64")")
    }

    @Test func `a broken manifest is reported line by line, and other plugins stay installed`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let broken = "manifest: 1\nidentifer: com.example.broken\nlibrary: ../libEscapes.so\nrole: boss\n"
            try host.directory.write(broken.utf8, to: "manifests/Aaa.yaml")
            try await host.waitForLog("its refusal") { $0.contains("manifest refused") && $0.contains("Aaa.yaml") }
            let list = try await host.client.plugins()
            #expect(list.plugins.map(\.identifier) == [TestPlugin.neighbour.identifier])
            let refused = try #require(list.refused.first)
            #expect(refused.file == host.directory.file("manifests/Aaa.yaml") && list.refused.count == 1)
            let problems = refused.problems.filter { $0.severity == .error }
            #expect(problems.contains { $0.line == 2 && $0.message.contains("identifier") })
            #expect(problems.contains { $0.line == 3 && $0.key == "library" })
            #expect(problems.contains { $0.line == 4 && $0.key == "role" && $0.message.contains("boss") })
            let reported = try await host.bgtask("plugin", "list")
            #expect(reported.status == 0 && (reported.output + reported.error).contains("Aaa.yaml"))
            try await host.runNeighbour()
        }
    }

    private func expectRefusal(
        of plugin: TestPlugin,
        message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let list = try await host.client.plugins()
            #expect(list.plugins.map(\.identifier) == [TestPlugin.neighbour.identifier])
            let refused = try #require(list.refused.first, sourceLocation: sourceLocation)
            #expect(refused.identifier == plugin.identifier, sourceLocation: sourceLocation)
            #expect(
                refused.problems.contains { $0.severity == .error && $0.message.contains(message) },
                "\(refused.problems)",
                sourceLocation: sourceLocation
            )
            let checked = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["plugin", "check", refused.file, "--plugins", host.directory.file("plugins")]
            )
            #expect(checked.status == 5 && checked.output.contains(message), sourceLocation: sourceLocation)
            await #expect(throws: (any Error).self) { try await host.submit(plugin.task()) }
            try await host.runNeighbour(sourceLocation: sourceLocation)
            #expect(!host.log.contains { $0.contains("code of a refused library ran") }, sourceLocation: sourceLocation)
            let launches = try await host.client.launches(limit: 100).launches
            #expect(launches.allSatisfy { $0.plugin == TestPlugin.neighbour.identifier })
        }
    }
}

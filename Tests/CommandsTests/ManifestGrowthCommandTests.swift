// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginCatalogue
import Testing

@testable import Commands

@Suite("The plugin commands accept manifests of several architectures and refuse keys and features of later releases")
struct ManifestGrowthCommandTests {
    private static let machine = ManifestHost.current.architecture
    private static let other = machine == "x86_64" ? "aarch64" : "x86_64"

    /// Builds a plugin whose manifest names a library for this machine and one for another architecture, which does not
    /// exist here.
    private func build(in fixture: PluginCommandFixture, _ lines: [String] = []) async throws -> String {
        let manifest = try await fixture.build("Obedient", lines: lines)
        let text = try #require(fixture.directory.text(of: "vendor/Obedient.yaml"))
        let libraries = "library: { \(Self.machine): libObedient.so, \(Self.other): other/libObedient.so }"
        try fixture.directory.write(
            text.replacing("library: libObedient.so", with: libraries).utf8,
            to: "vendor/Obedient.yaml"
        )
        return manifest
    }

    @Test(arguments: [["check"], ["inspect"], ["install", "--yes"]])
    func `a manifest that requires a missing feature is refused for the feature, not for its unknown keys`(
        command: [String]
    ) async throws {
        try await PluginCommandFixture.with { fixture in
            let lines = ["requires: [manifest.later]", "later: {}", "role: service"]
            let manifest = try await fixture.build("Obedient", lines: lines)
            let place = command[0] == "install" ? ["--manifests", fixture.directory.file("operator")] : []
            #expect(
                await fixture.terminal.run(list: ["plugin", command[0], manifest] + command.dropFirst() + place)
                    == .refused
            )
            let shown = fixture.terminal.output + fixture.terminal.error
            #expect(shown.contains("\"manifest.later\", a feature that this version of bgtask does not have"))
            #expect(shown.contains("upgrade bgtaskd to a release with this feature"))
            #expect(!shown.contains("is not a known key") && !shown.contains("service") && fixture.installed.isEmpty)
        }
    }

    @Test(arguments: [["check"], ["inspect"], ["install", "--yes"]])
    func `an unknown key of a manifest is refused with its name, unless it begins with x-`(command: [String])
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient", lines: ["x-priority: {}", "priority: {}"])
            let place = command[0] == "install" ? ["--manifests", fixture.directory.file("operator")] : []
            #expect(
                await fixture.terminal.run(list: ["plugin", command[0], manifest] + command.dropFirst() + place)
                    == .refused
            )
            let shown = fixture.terminal.output + fixture.terminal.error
            #expect(shown.contains("priority: is not a known key") && !shown.contains("x-priority"))
            #expect(fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install shows the required features and the architectures, and installs one library`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await build(in: fixture, ["requires: [manifest.library-per-architecture]"])
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(fixture.terminal.output.contains(try Regex("requires +manifest.library-per-architecture\n")))
            #expect(fixture.terminal.output.contains(try Regex("libraries for +\(Self.machine): installed\n")))
            #expect(fixture.terminal.output.contains("\(Self.other): not installed"))
            let library = try fixture.installedName("Obedient")
            #expect(fixture.installed == ["com.example.obedient.yaml", library])
            let text = fixture.directory.text(of: "operator/com.example.obedient.yaml") ?? ""
            #expect(text.contains("library: { \(Self.machine): \(library), \(Self.other): other/libObedient.so }"))
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done && fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install --pin writes the digest of the machine's library under its architecture`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await build(in: fixture)
            #expect(await fixture.run("install", manifest, "--yes", "--pin") == .done)
            let digest = try fixture.digest("vendor/libObedient.so")
            let text = fixture.directory.text(of: "operator/com.example.obedient.yaml") ?? ""
            #expect(text.hasSuffix("\nsha256: { \(Self.machine): \(digest) }\n"))
            let status = await fixture.terminal.run(
                list: ["plugin", "check", fixture.directory.file("operator/com.example.obedient.yaml")]
            )
            #expect(status == .done)
        }
    }

    @Test
    func `a pinned plugin of several architectures is installed with an unchanged manifest and the machine's files`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            _ = try await build(in: fixture)
            let library = try fixture.digest("vendor/libObedient.so")
            let data = try fixture.directory.write("colors".utf8, to: "vendor/colors.dat")
            let digest = try LibraryDigest.of(path: data)
            let foreign = String(repeating: "b", count: 64)
            let manifest = try await build(
                in: fixture,
                [
                    "sha256: { \(Self.machine): \(library), \(Self.other): \(foreign) }",
                    "files: { colors.dat: { \(Self.machine): \(digest), \(Self.other): \(foreign) }, simd: { \(Self.other): \(foreign) } }",
                ]
            )
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let installed = try #require(fixture.directory.text(of: "operator/com.example.obedient.yaml"))
            #expect(installed == fixture.directory.text(of: "vendor/Obedient.yaml"))
            let stored = try FileManager.default.subpathsOfDirectory(atPath: fixture.directory.file("operator/store"))
            #expect(
                Set(stored.compactMap { $0.split(separator: "/").dropFirst().first }) == [
                    "colors.dat", "libObedient.so",
                ]
            )
        }
    }

    @Test func `plugin inspect of a manifest prints its requirements, its libraries and the library of the machine`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await build(in: fixture, ["requires: [manifest.library-per-architecture]"])
            #expect(await fixture.terminal.run("plugin", "inspect", manifest) == .done)
            let output = fixture.terminal.output
            #expect(output.contains(try Regex("requires +manifest.library-per-architecture\n")))
            #expect(
                output.contains("\(Self.machine): libObedient.so")
                    && output.contains("\(Self.other): other/libObedient.so")
            )
            #expect(output.contains("a host of this version loads it"))
            #expect(output.contains(try Regex("architecture +\(Self.machine)\n")))
            let other = Terminal()
            #expect(await other.run("plugin", "inspect", manifest, "--json") == .done)
            let json = try #require(try JSONSerialization.jsonObject(with: Data(other.output.utf8)) as? [String: Any])
            #expect(json["requires"] as? [String] == ["manifest.library-per-architecture"])
            #expect(
                (json["libraries"] as? [[String: Any]])?.map { $0["architecture"] as? String } == [
                    Self.machine, Self.other,
                ]
            )
            #expect((json["library"] as? [String: Any])?["loadable"] as? Bool == true)
        }
    }

    @Test func `plugin inspect and plugin check of a manifest without a library for the machine name the machine`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            let text = try #require(fixture.directory.text(of: "vendor/Obedient.yaml"))
            let library = "library: { \(Self.other): libObedient.so }"
            try fixture.directory.write(
                text.replacing("library: libObedient.so", with: library).utf8,
                to: "vendor/Obedient.yaml"
            )
            #expect(await fixture.terminal.run("plugin", "inspect", manifest) == .refused)
            #expect(fixture.terminal.error.contains("has no library for \(Self.machine)"))
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .cannotBeLoaded)
            #expect(fixture.terminal.output.contains("has no library for \(Self.machine)"))
        }
    }

    @Test func `plugin inspect names the architecture of a library for another machine as manifests do`() async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let path = fixture.directory.file("vendor/libObedient.so")
            var bytes = try #require(FileManager.default.contents(atPath: path))
            // The machine of the ELF header: 62 is x86_64, 183 is aarch64.
            bytes[18] = bytes[18] == 62 ? 183 : 62
            let foreign = try fixture.directory.write(Array(bytes), to: "vendor/foreign.so")
            #expect(await fixture.terminal.run("plugin", "inspect", foreign) == .refused)
            #expect(fixture.terminal.output.contains(try Regex("architecture +\(Self.other)\n")))
        }
    }
}

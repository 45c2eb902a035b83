// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginCatalogue
import Testing

@testable import Commands

@Suite("plugin pack makes one file, which plugin install installs like the files themselves")
struct PluginPackTests {
    private static let machine = ManifestHost.current.architecture
    private static let other = machine == "x86_64" ? "aarch64" : "x86_64"

    private func pack(_ manifest: String, in fixture: PluginCommandFixture, _ arguments: String...) async throws
        -> String
    {
        let path = fixture.directory.file("feed.bgplugin")
        let list = ["plugin", "pack", manifest, "--output", path] + arguments
        #expect(await fixture.terminal.run(list: list) == .done, "\(fixture.terminal.error)")
        return path
    }

    /// Deletes the vendor's directory, so that only the pack has the files.
    private func forget(_ fixture: PluginCommandFixture) throws {
        try FileManager.default.removeItem(atPath: fixture.directory.file("vendor"))
    }

    /// Builds a plugin with a pinned library for this machine, one for another machine, and a pinned file.
    private func buildForTwoMachines(_ fixture: PluginCommandFixture) async throws -> String {
        try await fixture.build("Obedient")
        var bytes = try #require(FileManager.default.contents(atPath: fixture.directory.file("vendor/libObedient.so")))
        // The machine of the ELF header: 62 is x86_64, 183 is aarch64.
        bytes[18] = bytes[18] == 62 ? 183 : 62
        try fixture.directory.makeDirectory("vendor/other")
        try fixture.directory.write(Array(bytes), to: "vendor/other/libObedient.so")
        try fixture.directory.write("colors".utf8, to: "vendor/colors.dat")
        let (own, foreign) = (
            try fixture.digest("vendor/libObedient.so"), try fixture.digest("vendor/other/libObedient.so")
        )
        let manifest = try await fixture.build(
            "Obedient",
            lines: [
                "sha256: { \(Self.machine): \(own), \(Self.other): \(foreign) }",
                "files: { colors.dat: { \(Self.machine): \(try fixture.digest("vendor/colors.dat")) } }",
            ]
        )
        let text = try #require(fixture.directory.text(of: "vendor/Obedient.yaml"))
        let libraries = "library: { \(Self.machine): libObedient.so, \(Self.other): other/libObedient.so }"
        try fixture.directory.write(
            text.replacing("library: libObedient.so", with: libraries).utf8,
            to: "vendor/Obedient.yaml"
        )
        return manifest
    }

    private func sign(_ manifest: String, in fixture: PluginCommandFixture) async throws {
        let key = fixture.directory.file("key")
        let make = ["-q", "-t", "ed25519", "-N", "", "-C", "vendor", "-f", key]
        #expect(try await ProgramRun.of("/usr/bin/ssh-keygen", make).status == 0)
        let sign = ["-Y", "sign", "-q", "-n", "bgtask-plugin-v1", "-f", key, manifest]
        #expect(try await ProgramRun.of("/usr/bin/ssh-keygen", sign).status == 0)
    }

    @Test func `a renamed pack is installed with the bytes of the packed library, and its plugin can be removed`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            let digest = try fixture.digest("vendor/libObedient.so")
            let path = try await pack(manifest, in: fixture)
            try forget(fixture)
            let renamed = fixture.directory.file("download")
            try FileManager.default.moveItem(atPath: path, toPath: renamed)
            #expect(await fixture.run("install", renamed, "--yes", "--pin") == .done, "\(fixture.terminal.error)")
            let library = "libObedient-\(digest.prefix(8)).so"
            #expect(fixture.installed == ["com.example.obedient.yaml", library])
            #expect(try fixture.digest("operator/\(library)") == digest)
            #expect(fixture.directory.text(of: "operator/com.example.obedient.yaml")?.contains(digest) == true)
            #expect(fixture.terminal.output.contains("\(renamed):Obedient.yaml"))
            #expect(!fixture.terminal.output.contains("bgtask-pack-"))
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done && fixture.installed.isEmpty)
        }
    }

    @Test func `equal files make an equal pack, which tar lists with the manifest first`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await buildForTwoMachines(fixture)
            let first = try Data(contentsOf: URL(fileURLWithPath: try await pack(manifest, in: fixture)))
            let touch = ["-d", "2020-01-01", fixture.directory.file("vendor/libObedient.so"), manifest]
            #expect(try await ProgramRun.of("/usr/bin/touch", touch).status == 0)
            let path = try await pack(manifest, in: fixture)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
            let listed = try await ProgramRun.of("/usr/bin/tar", ["-tf", path])
            #expect(listed.output == "Obedient.yaml\ncolors.dat\nlibObedient.so\nother/libObedient.so\n")
        }
    }

    @Test func `a pack that tar made in the format ustar is installed`() async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let path = fixture.directory.file("feed.bgplugin")
            let make = [
                "--format=ustar", "-cf", path, "-C", fixture.directory.file("vendor"), "Obedient.yaml",
                "libObedient.so",
            ]
            #expect(try await ProgramRun.of("/usr/bin/tar", make).status == 0)
            #expect(await fixture.run("install", path, "--yes") == .done, "\(fixture.terminal.error)")
            #expect(fixture.installed.count == 2)
        }
    }

    @Test func `a signed pack of several architectures is installed with its signature and the files of the machine`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await buildForTwoMachines(fixture)
            try await sign(manifest, in: fixture)
            let text = fixture.directory.text(of: "vendor/Obedient.yaml")
            let path = try await pack(manifest, in: fixture, "--json")
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(fixture.terminal.output.utf8)) as? [String: Any]
            )
            #expect(json["signed"] as? Bool == true && json["pinned"] as? Bool == true)
            #expect(json["sha256"] as? String == (try fixture.digest("feed.bgplugin")))
            #expect(json["architectures"] as? [String] == [Self.machine, Self.other].sorted())
            try forget(fixture)
            #expect(await fixture.run("install", path, "--yes") == .done, "\(fixture.terminal.error)")
            #expect(fixture.directory.text(of: "operator/com.example.obedient.yaml") == text)
            let stored = try FileManager.default.subpathsOfDirectory(atPath: fixture.directory.file("operator/store"))
            #expect(
                Set(stored.compactMap { $0.split(separator: "/").dropFirst().first })
                    == ["colors.dat", "libObedient.so", "manifest.sig"]
            )
        }
    }

    @Test func `plugin pack refuses a missing library, another digest, another architecture and a broken signature`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await buildForTwoMachines(fixture)
            let foreign = fixture.directory.file("vendor/other/libObedient.so")
            let whole = try #require(FileManager.default.contents(atPath: foreign))
            let output = fixture.directory.file("feed.bgplugin")
            func refusal() async -> String {
                let terminal = Terminal()
                #expect(await terminal.run("plugin", "pack", manifest, "--output", output) == .refused)
                return terminal.error
            }
            try FileManager.default.removeItem(atPath: foreign)
            #expect(await refusal().contains("\(foreign), a file of the plugin, does not exist"))
            try fixture.directory.write(Array(whole + [0]), to: "vendor/other/libObedient.so")
            #expect(await refusal().contains("has the digest"))
            let own = try #require(
                FileManager.default.contents(atPath: fixture.directory.file("vendor/libObedient.so"))
            )
            try fixture.directory.write(Array(own), to: "vendor/other/libObedient.so")
            #expect(await refusal().contains("built for \(Self.machine)"))
            try fixture.directory.write(Array(whole), to: "vendor/other/libObedient.so")
            try await sign(manifest, in: fixture)
            try fixture.directory.write(
                Array(try Data(contentsOf: URL(fileURLWithPath: manifest))) + [0x0a],
                to: "vendor/Obedient.yaml"
            )
            #expect(await refusal().contains("nothing was written"))
            #expect(!FileManager.default.fileExists(atPath: output))
        }
    }

    @Test func `plugin pack replaces an existing pack, and refuses an output file that is not a pack`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            _ = try await pack(manifest, in: fixture)
            _ = try await pack(manifest, in: fixture)
            #expect(await fixture.terminal.run("plugin", "pack", manifest, "--output", manifest) == .refused)
            #expect(fixture.terminal.error.contains("exists and is not a pack"))
            #expect(fixture.directory.text(of: "vendor/Obedient.yaml")?.hasPrefix("manifest: 1") == true)
        }
    }

    @Test func `a pack with a changed library, a missing feature or a damaged header is refused and installs no file`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let pins = ["sha256: \(try fixture.digest("vendor/libObedient.so"))"]
            let good = try await pack(try await fixture.build("Obedient", lines: pins), in: fixture)
            var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: good)))
            // A byte of the library's contents, far behind its first page.
            bytes[10_000] ^= 1
            let changed = try fixture.directory.write(bytes, to: "changed.bgplugin")
            #expect(await fixture.run("install", changed, "--yes") == .refused)
            #expect(
                fixture.terminal.output.contains("\(changed):Obedient.yaml")
                    && fixture.terminal.output.contains("digest")
            )

            bytes[0] ^= 1
            let damaged = try fixture.directory.write(bytes, to: "damaged.bgplugin")
            #expect(await fixture.run("install", damaged, "--yes") == .refused)
            #expect(
                fixture.terminal.error.contains(
                    "is not a valid pack: entry 1 at byte 0 has a header with a wrong checksum"
                )
            )

            let text = try fixture.directory.write("no pack".utf8, to: "text.bgplugin")
            #expect(await fixture.run("install", text, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("is not a valid pack"))

            let later = try await fixture.build("Obedient", lines: pins + ["requires: [manifest.later]", "later: {}"])
            let path = fixture.directory.file("later.bgplugin")
            let make = [
                "--format=ustar", "-cf", path, "-C", fixture.directory.file("vendor"),
                URL(fileURLWithPath: later).lastPathComponent, "libObedient.so",
            ]
            #expect(try await ProgramRun.of("/usr/bin/tar", make).status == 0)
            #expect(await fixture.run("install", path, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("upgrade bgtaskd to a release with this feature"))
            #expect(!(fixture.terminal.output + fixture.terminal.error).contains("bgtask-pack-"))
            #expect(fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install of a pack refuses the option --library`() async throws {
        try await PluginCommandFixture.with { fixture in
            let path = try await pack(try await fixture.build("Obedient"), in: fixture)
            let library = fixture.directory.file("vendor/libObedient.so")
            #expect(await fixture.run("install", path, "--yes", "--library", library) == .misuse)
            let shown = fixture.terminal.output + fixture.terminal.error
            #expect(shown.contains("a pack contains its library") && fixture.installed.isEmpty)
        }
    }
}

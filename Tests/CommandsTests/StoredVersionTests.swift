// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginCatalogue
import Testing

@testable import Commands

@Suite("A plugin with pinned files is installed as one version in the store, with the vendor's bytes")
struct StoredVersionTests {
    /// Builds a plugin whose library is linked with `libplain.so` in the same directory, and returns the path of its
    /// manifest. The manifest pins the SHA-256 of both.
    private func build(_ fixture: PluginCommandFixture, version: String = "1.0.0") async throws -> String {
        let plain = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so"])
        let helper = try fixture.directory.write(plain, to: "vendor/libplain.so")
        let flags = ["-Wl,--no-as-needed", helper, "-Wl,-rpath,$ORIGIN", "-Wl,--build-id=0x62\(version.prefix(1))0"]
        try await fixture.build("Obedient", flags: flags)
        let pins = [
            "sha256: \(try fixture.digest("vendor/libObedient.so"))",
            "files: { libplain.so: \(try fixture.digest("vendor/libplain.so")) }",
        ]
        return try await fixture.build("Obedient", version: version, lines: pins, flags: flags)
    }

    private func version(_ fixture: PluginCommandFixture) -> String {
        let manifest = fixture.directory.file("operator/com.example.obedient.yaml")
        return "operator/store/\(ManifestReading.read(path: manifest).digest)"
    }

    private func names(_ fixture: PluginCommandFixture, _ directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: fixture.directory.file(directory))) ?? []).sorted()
    }

    @Test func `plugin install copies the library and the pinned files into the store, and the manifest unchanged`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await build(fixture)
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .done)
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(fixture.installed == ["com.example.obedient.yaml", "store"])
            let text = fixture.directory.text(of: "operator/com.example.obedient.yaml")
            #expect(text == fixture.directory.text(of: "vendor/Obedient.yaml"))
            #expect(names(fixture, version(fixture)) == ["libObedient.so", "libplain.so"])
            let installed = fixture.directory.file("operator/com.example.obedient.yaml")
            #expect(await fixture.terminal.run("plugin", "check", installed) == .done)
            #expect(
                fixture.terminal.output.contains("library \(fixture.directory.file(version(fixture)))/libObedient.so")
            )
        }
    }

    @Test func `a newer version replaces the older one in the store, and plugin remove leaves no file`() async throws {
        try await PluginCommandFixture.with { fixture in
            let first = try await build(fixture)
            #expect(await fixture.run("install", first, "--yes") == .done)
            let old = version(fixture)
            let second = try await build(fixture, version: "2.0.0")
            #expect(await fixture.run("install", second, "--yes") == .done)
            #expect(version(fixture) != old)
            #expect(names(fixture, "operator/store") == [String(version(fixture).dropFirst("operator/store/".count))])
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install refuses a pinned file with another digest, and writes nothing`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await build(fixture)
            let other = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so", "-O1", "-g0"])
            try fixture.directory.write(other + [0], to: "vendor/libplain.so")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("files.libplain.so") && fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install and plugin check refuse a library with /tmp in its search path`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient", flags: ["-Wl,-rpath,/tmp"])
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("\"/tmp\" in its search path") && fixture.installed.isEmpty)
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .cannotBeLoaded)
        }
    }

    @Test
    func `plugin inspect lists the files that the loader takes from the library's directory, with digests to pin`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            _ = try await build(fixture)
            let library = fixture.directory.file("vendor/libObedient.so")
            #expect(await fixture.terminal.run("plugin", "inspect", library) == .done)
            let helper = fixture.directory.file("vendor/libplain.so")
            let line = "\(helper), sha256: \(try fixture.digest("vendor/libplain.so"))"
            #expect(fixture.terminal.output.contains(line))
        }
    }

    @Test func `a signed manifest with a pinned library is installed unchanged, with its signature`() async throws {
        try await PluginCommandFixture.with { fixture in
            let key = fixture.directory.file("key")
            let make = ["-q", "-t", "ed25519", "-N", "", "-f", key]
            #expect(try await ProgramRun.of("/usr/bin/ssh-keygen", make).status == 0)
            let sign = ["-Y", "sign", "-q", "-n", "bgtask-plugin-v1", "-f", key]

            let loose = try await fixture.build("Obedient")
            #expect(try await ProgramRun.of("/usr/bin/ssh-keygen", sign + [loose]).status == 0)
            #expect(await fixture.run("install", loose, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("the signature covers no code") && fixture.installed.isEmpty)

            let digest = try fixture.digest("vendor/libObedient.so")
            let manifest = try await fixture.build("Obedient", lines: ["sha256: \(digest)"])
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("does not match the manifest"))
            try fixture.directory.remove("vendor/Obedient.yaml.sig")
            #expect(try await ProgramRun.of("/usr/bin/ssh-keygen", sign + [manifest]).status == 0)
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let text = fixture.directory.text(of: "operator/com.example.obedient.yaml")
            #expect(text == fixture.directory.text(of: "vendor/Obedient.yaml"))
            #expect(names(fixture, version(fixture)) == ["libObedient.so", "manifest.sig"])
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(fixture.installed.isEmpty)
        }
    }

    @Test func `a lower version is refused, and replaces the installed one with --allow-downgrade`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient", version: "1.10.0")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            try await fixture.build("Obedient", version: "1.9.0")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("lower than the installed version 1.10.0"))
            #expect(fixture.directory.text(of: "operator/com.example.obedient.yaml")?.contains("1.10.0") == true)
            #expect(await fixture.run("install", manifest, "--yes", "--allow-downgrade") == .done)
            #expect(fixture.directory.text(of: "operator/com.example.obedient.yaml")?.contains("1.9.0") == true)
        }
    }
}

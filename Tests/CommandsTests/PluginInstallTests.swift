// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginInstaller
import Synchronization
import Testing

@testable import Commands

@Suite("A plugin is installed completely after a confirmation, or not at all")
struct PluginInstallTests {
    @Test func `plugin install writes the library and the manifest, and no other file`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let library = try fixture.installedName("Obedient")
            #expect(fixture.installed == ["com.example.obedient.yaml", library])
            #expect(
                fixture.directory.text(of: "operator/com.example.obedient.yaml")
                    == fixture.directory.text(of: "vendor/Obedient.yaml")?
                    .replacingOccurrences(of: "libObedient.so", with: library)
            )
            #expect(fixture.terminal.error.contains("installed com.example.obedient"))
        }
    }

    @Test
    func `plugin install shows the grants that a plugin requests, and installs it after the answer y, not after n`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let lines = [
                "background-modes: [processing]", "permitted-identifiers: [com.example.obedient.task]",
                "grants: { network: true, write: [/srv/data] }", "limits: { memory: 1MiB }", "settings: { a: b }",
            ]
            let manifest = try await fixture.build("Obedient", lines: lines)
            #expect(await fixture.run("install", manifest) == .misuse)
            #expect(fixture.terminal.error.contains("--yes") && fixture.installed.isEmpty)
            for word in [
                "processing", "com.example.obedient.task", "/srv/data", "1048576", "a = b", "not enforced",
                "use the network", "read and write /srv/data",
                "may not       connect to Unix sockets\n              start processes",
            ] {
                #expect(fixture.terminal.output.contains(word), "\(word)")
            }
            #expect(await fixture.run("install", manifest, answering: "n") == .refused)
            #expect(fixture.installed.isEmpty)
            #expect(await fixture.run("install", manifest, answering: "y") == .done)
            #expect(fixture.installed.count == 2)
        }
    }

    @Test func `plugin install --dry-run prints the plan and writes no file`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            #expect(await fixture.run("install", manifest, "--dry-run") == .done)
            #expect(fixture.terminal.output.contains("com.example.obedient") && fixture.installed.isEmpty)
            #expect(fixture.terminal.error.contains("dry run: nothing was changed"))
            let (status, report) = try await fixture.report(of: manifest, "--dry-run")
            #expect(status == .done && report.outcome == "dry-run" && fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install writes no file for a plugin that a host would refuse, and names the rule`() async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("NoNote")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("BGT-ABI-02") && fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install refuses a library with an undefined symbol, and names the symbol`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("UsesMissingFunction")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("missing_function") && fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install refuses a library whose needed library is missing in the manifest directory`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let plain = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so"])
            let helper = try fixture.directory.write(plain, to: "vendor/libplain.so")
            let manifest = try await fixture.build(
                "Obedient",
                flags: ["-Wl,--no-as-needed", helper, "-Wl,-rpath,$ORIGIN"]
            )
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .done)
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("libplain.so") && fixture.installed.isEmpty)
            try fixture.directory.write(plain, to: "operator/libplain.so")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
        }
    }

    @Test func `plugin install refuses a task identifier of another plugin before it writes a file`() async throws {
        try await PluginCommandFixture.with { fixture in
            let lines = ["permitted-identifiers: [org.shared.task]"]
            try await fixture.build("Neighbour", lines: lines, in: "operator")
            let manifest = try await fixture.build("Obedient", lines: lines)
            let before = fixture.installed
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("belongs to the plugin \"com.example.neighbour\""))
            #expect(fixture.installed == before)
        }
    }

    @Test func `plugin install does not change another plugin's library of the same name`() async throws {
        try await PluginCommandFixture.with { fixture in
            let other = "manifest: 1\nidentifier: com.example.other\nlibrary: libObedient.so\n"
            try await fixture.build("Obedient", in: "operator")
            try fixture.directory.remove("operator/Obedient.yaml")
            try fixture.directory.write(other.utf8, to: "operator/other.yaml")
            let manifest = try await fixture.build("Obedient", flags: ["-Wl,--build-id=0x6267"])
            let before = try fixture.digest("operator/libObedient.so")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let library = try fixture.installedName("Obedient")
            #expect(fixture.installed == ["com.example.obedient.yaml", library, "libObedient.so", "other.yaml"])
            #expect(try fixture.digest("operator/libObedient.so") == before)
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(fixture.installed == ["libObedient.so", "other.yaml"])
        }
    }

    @Test func `plugin install --pin writes the library's digest, and plugin check then refuses a changed library`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            #expect(await fixture.run("install", manifest, "--yes", "--pin") == .done)
            let text = fixture.directory.text(of: "operator/com.example.obedient.yaml") ?? ""
            #expect(text.contains("\nsha256: "))
            try fixture.directory.write(Array("other".utf8), to: "operator/\(fixture.installedName("Obedient"))")
            let status = await fixture.terminal.run(
                "plugin",
                "check",
                fixture.directory.file("operator/com.example.obedient.yaml")
            )
            #expect(status == .cannotBeLoaded)
        }
    }

    @Test func `the replacement of a plugin shows both versions and the changed grants, and keeps the manifest's name`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient", version: "1.0.0", lines: ["background-modes: [fetch]"], in: "operator")
            let manifest = try await fixture.build("Obedient", version: "2.0.0", lines: ["grants: { network: true }"])
            let digest = try await fixture.grantsDigest(of: manifest)
            #expect(await fixture.run("install", manifest, "--yes", "--accept-grants", digest) == .done)
            for word in ["2.0.0", "version 1.0.0", "- modes: fetch", "+ network: yes"] {
                #expect(fixture.terminal.output.contains(word), "\(word)")
            }
            #expect(
                fixture.terminal.output.contains("removes       \(fixture.directory.file("operator/libObedient.so"))")
            )
            #expect(fixture.installed == ["Obedient.yaml", try fixture.installedName("Obedient")])
            #expect(fixture.directory.text(of: "operator/Obedient.yaml")?.contains("2.0.0") == true)
        }
    }

    @Test func `a plugin install that fails at the replacement of the manifest leaves the old files unchanged`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient", in: "operator")
            let before = try #require(
                FileManager.default.contents(atPath: fixture.directory.file("operator/libObedient.so"))
            )
            let manifest = try await fixture.build("Obedient", version: "2.0.0", flags: ["-Wl,--build-id=0x6267"])
            // The exchange of the manifest fails: the name of its backup is taken.
            let obstacle = ".Obedient.yaml.old-\(getpid())"
            try fixture.directory.makeDirectory("operator/\(obstacle)/full")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.installed == [obstacle, "Obedient.yaml", "libObedient.so"])
            #expect(fixture.directory.text(of: "operator/Obedient.yaml")?.contains("1.0.0") == true)
            let after = FileManager.default.contents(atPath: fixture.directory.file("operator/libObedient.so"))
            #expect(after == before)
        }
    }

    @Test func `a second plugin install of the same bytes adds no file, and replaces a damaged library by a new file`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            for _ in 0..<2 { #expect(await fixture.run("install", manifest, "--yes") == .done) }
            let name = try fixture.installedName("Obedient")
            #expect(fixture.installed == ["com.example.obedient.yaml", name])
            try fixture.directory.write(Array("damaged".utf8), to: "operator/\(name)")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let longer = try fixture.installedName("Obedient", digits: 16)
            #expect(fixture.installed == ["com.example.obedient.yaml", longer])
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(fixture.installed == ["com.example.obedient.yaml", name])
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(fixture.installed.isEmpty)
        }
    }

    @Test func `plugin install deletes leftovers of interrupted commands, and keeps files with similar names`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient", version: "1.0.0")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let old = try fixture.installedName("Obedient")
            let leftover = try Data(contentsOf: URL(filePath: fixture.directory.file("operator/\(old)")))
            try await fixture.build("Obedient", version: "2.0.0", flags: ["-Wl,--build-id=0x6267"])
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            // No process has such a number, while process 1 always exists.
            let dead = [".com.example.obedient.yaml.old-2147483647", ".\(old).new-2147483647"]
            let kept = [".com.example.obedient.yaml.old-1", "libObedient-00000000.so", "libOther-\(old)"]
            for name in dead + kept { try fixture.directory.write(Array("x".utf8), to: "operator/\(name)") }
            try fixture.directory.write(Array(leftover), to: "operator/\(old)")
            try await fixture.build("Obedient", version: "3.0.0", flags: ["-Wl,--build-id=0x6268"])
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let all = kept + ["com.example.obedient.yaml", try fixture.installedName("Obedient")]
            #expect(fixture.installed == all.sorted())
            try fixture.directory.write(Array(leftover), to: "operator/\(old)")
            #expect(await fixture.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(fixture.installed == kept.sorted())
        }
    }

    @Test func `plugin install keeps old libraries while an invalid manifest may still refer to them`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient", version: "1.0.0")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let old = try fixture.installedName("Obedient")
            try fixture.directory.write("library: [\n".utf8, to: "operator/other.yaml")
            try await fixture.build("Obedient", version: "2.0.0", flags: ["-Wl,--build-id=0x6267"])
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(
                fixture.terminal.error.contains(
                    "no longer used: \(fixture.directory.file("operator/\(old)"))"
                )
            )
            #expect(fixture.installed.contains(old))
        }
    }

    @Test func `plugin install does not overwrite a file with the manifest's name that describes no plugin`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try fixture.directory.write(Array("nonsense".utf8), to: "operator/com.example.obedient.yaml")
            let manifest = try await fixture.build("Obedient")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.installed == ["com.example.obedient.yaml"])
            #expect(fixture.terminal.error.contains("does not describe com.example.obedient"))
        }
    }

    @Test func `plugin install reports a missing library and accepts its path with --library`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            try fixture.directory.makeDirectory("build")
            let library = fixture.directory.file("build/feed.so")
            try FileManager.default.moveItem(atPath: fixture.directory.file("vendor/libObedient.so"), toPath: library)
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("--library") && fixture.installed.isEmpty)
            #expect(await fixture.run("install", manifest, "--yes", "--library", library) == .done)
            #expect(
                try fixture.installed == [
                    "com.example.obedient.yaml", fixture.installedName("Obedient", at: "build/feed.so"),
                ]
            )
        }
    }

    @Test func `a library in the plugin directory stays there at installation and removal of its plugin`() async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            try fixture.directory.makeDirectory("plugins")
            let library = fixture.directory.file("plugins/libObedient.so")
            try FileManager.default.moveItem(atPath: fixture.directory.file("vendor/libObedient.so"), toPath: library)
            let directories = [
                "--plugins", fixture.directory.file("plugins"), "--manifests", fixture.directory.file("operator"),
                "--yes",
            ]
            #expect(await fixture.terminal.run(list: ["plugin", "install", manifest] + directories) == .done)
            #expect(fixture.installed == ["com.example.obedient.yaml"])
            #expect(
                await fixture.terminal.run(list: ["plugin", "remove", "com.example.obedient"] + directories) == .done
            )
            #expect(fixture.installed.isEmpty && FileManager.default.fileExists(atPath: library))
        }
    }

    @Test func `plugin install of a file in the manifest directory is refused as the installed manifest itself`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient", in: "operator")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("is the installed manifest itself; nothing was written"))
            #expect(fixture.installed == ["Obedient.yaml", "libObedient.so"])
        }
    }

    @Test func `plugin install without a host requires --user, --system or --manifests`() async throws {
        let terminal = Terminal()
        #expect(await terminal.run("plugin", "install", "/nowhere/a.yaml", "--yes") == .unreachable)
        #expect(terminal.error.contains("or select the directories without a host, with --user, --system or"))
        let command = ["plugin", "install", "/nowhere/a.yaml", "--yes", "--socket", "/nowhere/a.sock"]
        #expect(await terminal.run(list: command) == .unreachable)
        #expect(terminal.error.contains("or leave --socket out, and select the directories without a host"))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@testable import Commands

@Suite("A plugin is installed whole, after a yes, or not at all")
struct PluginInstallTests {
    @Test func `library and manifest are put in place, and nothing else`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            #expect(desk.installed == ["com.example.obedient.yaml", "libObedient.so"])
            #expect(
                desk.folder.text(of: "operator/com.example.obedient.yaml")
                    == desk.folder.text(of: "vendor/Obedient.yaml")
            )
            #expect(desk.terminal.error.contains("installed com.example.obedient"))
        }
    }

    @Test func `what it asks for is shown before a yes is wanted, and what is not enforced`() async throws {
        try await PluginDesk.with { desk in
            let lines = [
                "background-modes: [processing]", "permitted-identifiers: [com.example.obedient.task]",
                "sandbox: { network: true, write: [/srv/data] }", "limits: { memory: 1MiB }", "settings: { a: b }",
            ]
            let manifest = try await desk.build("Obedient", lines: lines)
            #expect(await desk.run("install", manifest) == .misuse)
            #expect(desk.terminal.error.contains("--yes") && desk.installed.isEmpty)
            for word in ["processing", "com.example.obedient.task", "/srv/data", "1048576", "a = b", "not enforced"] {
                #expect(desk.terminal.output.contains(word), "\(word)")
            }
            #expect(await desk.run("install", manifest, answering: "n") == .refused)
            #expect(desk.installed.isEmpty)
            #expect(await desk.run("install", manifest, answering: "y") == .done)
            #expect(desk.installed.count == 2)
        }
    }

    @Test func `what a host would refuse is not written, and says the rule`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("NoNote")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.output.contains("BGT-ABI-02") && desk.installed.isEmpty)
        }
    }

    @Test func `an identifier of another plugin is told before anything is written`() async throws {
        try await PluginDesk.with { desk in
            let lines = ["permitted-identifiers: [org.shared.task]"]
            try await desk.build("Neighbour", lines: lines, in: "operator")
            let manifest = try await desk.build("Obedient", lines: lines)
            let before = desk.installed
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.output.contains("belongs to the plugin \"com.example.neighbour\""))
            #expect(desk.installed == before)
        }
    }

    @Test func `a library's name that another plugin uses is not taken from it`() async throws {
        try await PluginDesk.with { desk in
            let other = "manifest: 1\nidentifier: com.example.other\nlibrary: libObedient.so\n"
            try await desk.build("Obedient", in: "operator")
            try desk.folder.remove("operator/Obedient.yaml")
            try desk.folder.write(other.utf8, to: "operator/other.yaml")
            let manifest = try await desk.build("Obedient")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.error.contains("operator/other.yaml"))
            #expect(desk.installed == ["libObedient.so", "other.yaml"])
        }
    }

    @Test func `a pin holds the installed manifest to this library`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            #expect(await desk.run("install", manifest, "--yes", "--pin") == .done)
            let text = desk.folder.text(of: "operator/com.example.obedient.yaml") ?? ""
            #expect(text.contains("\nsha256: "))
            try desk.folder.write(Array("other".utf8), to: "operator/libObedient.so")
            let status = await desk.terminal.run(
                "plugin",
                "check",
                desk.folder.file("operator/com.example.obedient.yaml")
            )
            #expect(status == .cannotBeLoaded)
        }
    }

    @Test func `a replacement shows both versions and what changes, and keeps the file's name`() async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient", version: "1.0.0", lines: ["background-modes: [fetch]"], in: "operator")
            let manifest = try await desk.build("Obedient", version: "2.0.0", lines: ["sandbox: { network: true }"])
            #expect(await desk.run("install", manifest, "--yes") == .done)
            for word in ["2.0.0", "version 1.0.0", "- modes: fetch", "+ network: yes"] {
                #expect(desk.terminal.output.contains(word), "\(word)")
            }
            #expect(desk.installed == ["Obedient.yaml", "libObedient.so"])
            #expect(desk.folder.text(of: "operator/Obedient.yaml")?.contains("2.0.0") == true)
        }
    }

    @Test func `a failure after the library was exchanged brings the old one back`() async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient", in: "operator")
            let before = try #require(FileManager.default.contents(atPath: desk.folder.file("operator/libObedient.so")))
            let manifest = try await desk.build("Obedient", version: "2.0.0", flags: ["-Wl,--build-id=0x6267"])
            // The manifest's own exchange cannot begin: what it would be kept as meanwhile is taken.
            let obstacle = ".Obedient.yaml.old-\(getpid())"
            try desk.folder.makeFolder("operator/\(obstacle)/full")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.installed == [obstacle, "Obedient.yaml", "libObedient.so"])
            #expect(desk.folder.text(of: "operator/Obedient.yaml")?.contains("1.0.0") == true)
            let after = FileManager.default.contents(atPath: desk.folder.file("operator/libObedient.so"))
            #expect(after == before)
        }
    }

    @Test func `a file under its name that describes something else is not overwritten`() async throws {
        try await PluginDesk.with { desk in
            try desk.folder.write(Array("nonsense".utf8), to: "operator/com.example.obedient.yaml")
            let manifest = try await desk.build("Obedient")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.installed == ["com.example.obedient.yaml"])
            #expect(desk.terminal.error.contains("does not describe com.example.obedient"))
        }
    }

    @Test func `a library elsewhere is named, and one that is missing is told`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            try desk.folder.makeFolder("build")
            let library = desk.folder.file("build/feed.so")
            try FileManager.default.moveItem(atPath: desk.folder.file("vendor/libObedient.so"), toPath: library)
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.error.contains("--library") && desk.installed.isEmpty)
            #expect(await desk.run("install", manifest, "--yes", "--library", library) == .done)
            #expect(desk.installed == ["com.example.obedient.yaml", "libObedient.so"])
        }
    }

    @Test func `what the host refuses after all leaves everything as before`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            let folder = desk.folder.file("operator")
            let behaviour = try Self.refusing(folder + "/com.example.obedient.yaml", in: folder)
            try await StubHost.with(behaviour) { host in
                #expect(await desk.run("install", manifest, "--yes", "--socket", host.socket) == .refused)
            }
            #expect(desk.terminal.error.contains("everything is as before: of a host's own reasons"))
            #expect(desk.installed.isEmpty)
        }
    }

    /// A host that refuses whatever comes to be at `file`.
    private static func refusing(_ file: String, in folder: String) throws -> StubHost.Behaviour {
        let note = ManifestNote(severity: .error, message: "of a host's own reasons")
        let list = PluginListReply(plugins: [], refused: [.init(file: file, identifier: nil, problems: [note])])
        let status = try WireCoding.encode(Samples.host())
        let text = String(decoding: status, as: UTF8.self)
            .replacingOccurrences(of: "/etc/bgtask/manifests", with: folder)
        let listText = String(decoding: try WireCoding.encode(list), as: UTF8.self)
        let missing = ErrorReply(code: "not-found", subReason: "unknown-plugin", message: "there is no such plugin")
        let missingText = String(decoding: try WireCoding.encode(missing), as: UTF8.self)
        return { request in
            switch request.path {
            case "/v1/host": .body(status: 200, text)
            case "/v1/plugins": .body(status: 200, listText)
            default: .body(status: 404, missingText)
            }
        }
    }

    @Test func `a library in the plugin folder stays there, at installation and removal`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            try desk.folder.makeFolder("plugins")
            let library = desk.folder.file("plugins/libObedient.so")
            try FileManager.default.moveItem(atPath: desk.folder.file("vendor/libObedient.so"), toPath: library)
            let folders = [
                "--plugins", desk.folder.file("plugins"), "--manifests", desk.folder.file("operator"), "--yes",
            ]
            #expect(await desk.terminal.run(list: ["plugin", "install", manifest] + folders) == .done)
            #expect(desk.installed == ["com.example.obedient.yaml"])
            #expect(await desk.terminal.run(list: ["plugin", "remove", "com.example.obedient"] + folders) == .done)
            #expect(desk.installed.isEmpty && FileManager.default.fileExists(atPath: library))
        }
    }

    @Test func `what is installed already is not installed onto itself`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient", in: "operator")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.error.contains("it is installed"))
            #expect(desk.installed == ["Obedient.yaml", "libObedient.so"])
        }
    }

    @Test func `without a host somebody must say whose folders are meant`() async throws {
        let terminal = Terminal()
        #expect(await terminal.run("plugin", "install", "/nowhere/a.yaml", "--yes") == .unreachable)
        #expect(terminal.error.contains("--user, --system or --manifests"))
    }
}

@Suite("A plugin is removed with what was installed for it, and nothing else")
struct PluginRemoveTests {
    @Test func `manifest and library go, neighbours stay`() async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient", in: "operator")
            try await desk.build("Neighbour", in: "operator")
            #expect(await desk.run("remove", "com.example.obedient") == .misuse)
            #expect(desk.installed.count == 4)
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(desk.installed == ["Neighbour.yaml", "libNeighbour.so"])
            #expect(desk.terminal.output.contains("30 days"))
        }
    }

    @Test func `a library that another manifest names stays`() async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient", in: "operator")
            let other = "manifest: 1\nidentifier: com.example.other\nlibrary: libObedient.so\n"
            try desk.folder.write(other.utf8, to: "operator/other.yaml")
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(desk.installed == ["libObedient.so", "other.yaml"])
        }
    }

    @Test func `one that is not there is told with the folder`() async throws {
        try await PluginDesk.with { desk in
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .refused)
            #expect(desk.terminal.error.contains(desk.folder.file("operator")))
        }
    }
}

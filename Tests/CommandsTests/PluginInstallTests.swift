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
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let library = try desk.installedName("Obedient")
            #expect(desk.installed == ["com.example.obedient.yaml", library])
            #expect(
                desk.folder.text(of: "operator/com.example.obedient.yaml")
                    == desk.folder.text(of: "vendor/Obedient.yaml")?
                    .replacingOccurrences(of: "libObedient.so", with: library)
            )
            #expect(desk.terminal.error.contains("installed com.example.obedient"))
        }
    }

    @Test func `plugin install shows the requested grants before the confirmation, with those that are not enforced`()
        async throws
    {
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

    @Test func `plugin install writes no file for a plugin that a host would refuse, and names the rule`() async throws
    {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("NoNote")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.output.contains("BGT-ABI-02") && desk.installed.isEmpty)
        }
    }

    private static func binding(_ symbol: String, _ arguments: String) -> [String] {
        [
            "background-modes: [processing]", "permitted-identifiers: [com.example.plain.task]", "handlers:",
            "  - identifier: com.example.plain.task", "    symbol: \(symbol)", "    arguments: \(arguments)",
            "    returns: void",
        ]
    }

    @Test
    func `plugin install shows the signatures of bound functions and warns of a missing cancel flag`()
        async throws
    {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Plain", lines: Self.binding("plain_stay", "[]"))
            #expect(await desk.run("install", manifest, "--yes") == .done)
            #expect(desk.terminal.output.contains("com.example.plain.task: void plain_stay(void)"))
            #expect(desk.terminal.output.contains("warning: handlers[0]: passes no cancel-flag"))
            #expect(desk.installed == ["com.example.plain.yaml", try desk.installedName("Plain")])
        }
    }

    @Test func `plugin install shows changed arguments and success rules of a bound function`() async throws {
        try await PluginDesk.with { desk in
            let lines = Self.binding("plain_stay", "[{ int32: 5 }]").dropLast()
            let old = try await desk.build("Plain", lines: lines + ["    returns: { int32: success-when-zero }"])
            #expect(await desk.run("install", old, "--yes") == .done)
            let new = Self.binding("plain_stay", "[{ int32: 6 }]").dropLast()
            let manifest = try await desk.build("Plain", lines: new + ["    returns: { int32: success-when-nonzero }"])
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let told = desk.terminal.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(
                told.contains("- handlers: com.example.plain.task: int32_t plain_stay(int32_t); called with int32: 5")
            )
            #expect(told.contains("called with int32: 6; success-when-nonzero"), "\(told)")
        }
    }

    @Test func `plugin install refuses a binding of a function that the library lacks, with line and suggestion`()
        async throws
    {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Plain", lines: Self.binding("plain_sty", "[]"))
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.output.contains("Plain.yaml:9:13: error: handlers[0].symbol: library "))
            #expect(desk.terminal.output.contains("write \"plain_stay\""))
            #expect(desk.installed.isEmpty)
        }
    }

    @Test func `a library named by an absolute path stays in place at installation and removal`() async throws {
        try await PluginDesk.with { desk in
            let library = desk.folder.file("vendor/libPlain.so")
            let manifest = try await desk.build("Plain", lines: Self.binding("plain_stay", "[]"))
            let text = try #require(desk.folder.text(of: "vendor/Plain.yaml"))
            try desk.folder.write(
                text.replacingOccurrences(of: "library: libPlain.so", with: "library: \(library)").utf8,
                to: "vendor/Plain.yaml"
            )
            #expect(await desk.run("install", manifest, "--library", "/dev/null", "--yes") == .refused)
            #expect(desk.terminal.error.contains("leave --library out"))
            #expect(await desk.run("install", manifest, "--yes") == .done)
            #expect(desk.installed == ["com.example.plain.yaml"])
            #expect(desk.terminal.output.contains("stays in place"))
            #expect(await desk.run("remove", "com.example.plain", "--yes") == .done)
            #expect(desk.installed.isEmpty)
            #expect(FileManager.default.fileExists(atPath: library))
        }
    }

    @Test func `a library that another manifest names by an absolute path stays when its own plugin is removed`()
        async throws
    {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Plain", lines: Self.binding("plain_stay", "[]"))
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let library = desk.folder.file("operator/\(try desk.installedName("Plain"))")
            let other = Self.binding("plain_fail", "[]").map {
                $0.replacingOccurrences(of: "plain.task", with: "other.task")
            }
            let lines = ["manifest: 1", "identifier: com.example.other", "library: \(library)"] + other
            try desk.folder.write(lines.map { $0 + "\n" }.joined().utf8, to: "operator/other.yaml")
            #expect(await desk.run("remove", "com.example.plain", "--yes") == .done)
            #expect(FileManager.default.fileExists(atPath: library))
        }
    }

    @Test func `plugin install refuses a task identifier of another plugin before it writes a file`() async throws {
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

    @Test func `plugin install leaves a library of the same name that another plugin uses unchanged`() async throws {
        try await PluginDesk.with { desk in
            let other = "manifest: 1\nidentifier: com.example.other\nlibrary: libObedient.so\n"
            try await desk.build("Obedient", in: "operator")
            try desk.folder.remove("operator/Obedient.yaml")
            try desk.folder.write(other.utf8, to: "operator/other.yaml")
            let manifest = try await desk.build("Obedient", flags: ["-Wl,--build-id=0x6267"])
            let before = try desk.digest("operator/libObedient.so")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let library = try desk.installedName("Obedient")
            #expect(desk.installed == ["com.example.obedient.yaml", library, "libObedient.so", "other.yaml"])
            #expect(try desk.digest("operator/libObedient.so") == before)
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(desk.installed == ["libObedient.so", "other.yaml"])
        }
    }

    @Test func `plugin install --pin writes the library's digest, and a changed library then fails the check`()
        async throws
    {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            #expect(await desk.run("install", manifest, "--yes", "--pin") == .done)
            let text = desk.folder.text(of: "operator/com.example.obedient.yaml") ?? ""
            #expect(text.contains("\nsha256: "))
            try desk.folder.write(Array("other".utf8), to: "operator/\(desk.installedName("Obedient"))")
            let status = await desk.terminal.run(
                "plugin",
                "check",
                desk.folder.file("operator/com.example.obedient.yaml")
            )
            #expect(status == .cannotBeLoaded)
        }
    }

    @Test func `the replacement of a plugin shows both versions and the changed grants, and keeps the file name`()
        async throws
    {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient", version: "1.0.0", lines: ["background-modes: [fetch]"], in: "operator")
            let manifest = try await desk.build("Obedient", version: "2.0.0", lines: ["sandbox: { network: true }"])
            #expect(await desk.run("install", manifest, "--yes") == .done)
            for word in ["2.0.0", "version 1.0.0", "- modes: fetch", "+ network: yes"] {
                #expect(desk.terminal.output.contains(word), "\(word)")
            }
            #expect(desk.terminal.output.contains("removes       \(desk.folder.file("operator/libObedient.so"))"))
            #expect(desk.installed == ["Obedient.yaml", try desk.installedName("Obedient")])
            #expect(desk.folder.text(of: "operator/Obedient.yaml")?.contains("2.0.0") == true)
        }
    }

    @Test func `a failure of plugin install after the exchange of the library restores the old files`() async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient", in: "operator")
            let before = try #require(FileManager.default.contents(atPath: desk.folder.file("operator/libObedient.so")))
            let manifest = try await desk.build("Obedient", version: "2.0.0", flags: ["-Wl,--build-id=0x6267"])
            // The exchange of the manifest fails: the name of its backup is taken.
            let obstacle = ".Obedient.yaml.old-\(getpid())"
            try desk.folder.makeFolder("operator/\(obstacle)/full")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.installed == [obstacle, "Obedient.yaml", "libObedient.so"])
            #expect(desk.folder.text(of: "operator/Obedient.yaml")?.contains("1.0.0") == true)
            let after = FileManager.default.contents(atPath: desk.folder.file("operator/libObedient.so"))
            #expect(after == before)
        }
    }

    @Test func `a second plugin install of the same bytes changes no file, and a damaged library is replaced`()
        async throws
    {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            for _ in 0..<2 { #expect(await desk.run("install", manifest, "--yes") == .done) }
            let name = try desk.installedName("Obedient")
            #expect(desk.installed == ["com.example.obedient.yaml", name])
            try desk.folder.write(Array("damaged".utf8), to: "operator/\(name)")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let longer = try desk.installedName("Obedient", digits: 16)
            #expect(desk.installed == ["com.example.obedient.yaml", longer])
            #expect(await desk.run("install", manifest, "--yes") == .done)
            #expect(desk.installed == ["com.example.obedient.yaml", name])
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(desk.installed.isEmpty)
        }
    }

    @Test func `plugin install deletes leftovers of interrupted commands, and no other file`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient", version: "1.0.0")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let old = try desk.installedName("Obedient")
            let leftover = try Data(contentsOf: URL(filePath: desk.folder.file("operator/\(old)")))
            try await desk.build("Obedient", version: "2.0.0", flags: ["-Wl,--build-id=0x6267"])
            #expect(await desk.run("install", manifest, "--yes") == .done)
            // No process has such a number, while process 1 always exists.
            let dead = [".com.example.obedient.yaml.old-2147483647", ".\(old).new-2147483647"]
            let kept = [".com.example.obedient.yaml.old-1", "libObedient-00000000.so", "libOther-\(old)"]
            for name in dead + kept { try desk.folder.write(Array("x".utf8), to: "operator/\(name)") }
            try desk.folder.write(Array(leftover), to: "operator/\(old)")
            try await desk.build("Obedient", version: "3.0.0", flags: ["-Wl,--build-id=0x6268"])
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let all = kept + ["com.example.obedient.yaml", try desk.installedName("Obedient")]
            #expect(desk.installed == all.sorted())
            try desk.folder.write(Array(leftover), to: "operator/\(old)")
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(desk.installed == kept.sorted())
        }
    }

    @Test func `plugin install keeps old libraries while an invalid manifest may still refer to them`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient", version: "1.0.0")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let old = try desk.installedName("Obedient")
            try desk.folder.write("library: [\n".utf8, to: "operator/other.yaml")
            try await desk.build("Obedient", version: "2.0.0", flags: ["-Wl,--build-id=0x6267"])
            #expect(await desk.run("install", manifest, "--yes") == .done)
            #expect(desk.terminal.error.contains("until the next installation: \(desk.folder.file("operator/\(old)"))"))
            #expect(desk.installed.contains(old))
        }
    }

    @Test(arguments: [
        "library: libObedient.so   # beside it", "library: 'libObedient.so'", "\"library\" : \"libObedient.so\"",
        "library:\n  libObedient.so",
    ])
    func `plugin install changes only the value of the library key, in every YAML notation`(line: String) async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient")
            let text = "manifest: 1\nidentifier: com.example.obedient # libObedient.so\n\(line)\nname: libObedient.so\n"
            let manifest = try desk.folder.write(text.utf8, to: "vendor/Obedient.yaml")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            let changed = line.replacingOccurrences(of: "libObedient.so", with: try desk.installedName("Obedient"))
            #expect(
                desk.folder.text(of: "operator/com.example.obedient.yaml")
                    == text.replacingOccurrences(of: line, with: changed)
            )
        }
    }

    @Test func `plugin install refuses a library name with escape sequences, with the plain form to write`()
        async throws
    {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient")
            let text = "manifest: 1\nidentifier: com.example.obedient\nlibrary: \"lib\\u004fbedient.so\"\n"
            let manifest = try desk.folder.write(text.utf8, to: "vendor/Obedient.yaml")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.error.contains("library: libObedient.so") && desk.installed.isEmpty)
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary], ["Obedient", "libObedient.so"])
    func `plugin install sets the library's name in a property list, XML or binary`(
        format: PropertyListSerialization.PropertyListFormat,
        executable: String
    ) async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient")
            let keys: [String: Any] = [
                "CFBundleIdentifier": "com.example.obedient", "CFBundleName": "Obedient",
                "CFBundleExecutable": executable, "DTOther": ["CFBundleExecutable": executable],
            ]
            let data = try PropertyListSerialization.data(fromPropertyList: keys, format: format, options: 0)
            let manifest = try desk.folder.write(Array(data), to: "vendor/Info.plist")
            #expect(await desk.run("install", manifest, "--yes") == .done)
            #expect(try desk.installed == ["com.example.obedient.plist", desk.installedName("Obedient")])
            let installed = try Data(contentsOf: URL(filePath: desk.folder.file("operator/com.example.obedient.plist")))
            let list = try PropertyListSerialization.propertyList(from: installed, format: nil) as? [String: Any]
            #expect((list?["DTOther"] as? [String: String])?["CFBundleExecutable"] == executable)
        }
    }

    @Test func `plugin install does not overwrite a manifest that describes another plugin or none`() async throws {
        try await PluginDesk.with { desk in
            try desk.folder.write(Array("nonsense".utf8), to: "operator/com.example.obedient.yaml")
            let manifest = try await desk.build("Obedient")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.installed == ["com.example.obedient.yaml"])
            #expect(desk.terminal.error.contains("does not describe com.example.obedient"))
        }
    }

    @Test func `plugin install reports a missing library and accepts its path with --library`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            try desk.folder.makeFolder("build")
            let library = desk.folder.file("build/feed.so")
            try FileManager.default.moveItem(atPath: desk.folder.file("vendor/libObedient.so"), toPath: library)
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.error.contains("--library") && desk.installed.isEmpty)
            #expect(await desk.run("install", manifest, "--yes", "--library", library) == .done)
            #expect(
                try desk.installed == [
                    "com.example.obedient.yaml", desk.installedName("Obedient", at: "build/feed.so"),
                ]
            )
        }
    }

    @Test func `plugin install requests the plugin list again while the host is still loading`() async throws {
        let lists = [
            PluginListReply(plugins: [], refused: [], isPartial: true), try Samples.pluginList(),
        ]
        let texts = try lists.map { String(decoding: try WireCoding.encode($0), as: UTF8.self) }
        let calls = Mutex(0)
        let behaviour: StubHost.Behaviour = { _ in
            let isFirst = calls.withLock { count in
                count += 1
                return count == 1
            }
            return .body(status: 200, texts[isFirst ? 0 : 1])
        }
        try await StubHost.with(behaviour) { host in
            let list = try await ControlClient.withConnection(to: host.socket) { client in
                try await HostVerdict(client: client).plugins()
            }
            #expect(list == lists[1] && host.requests.count == 2)
        }
    }

    @Test func `plugin install is rolled back when the running host refuses the plugin`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient")
            let folder = desk.folder.file("operator")
            let behaviour = try Self.refusing(folder + "/com.example.obedient.yaml", in: folder)
            try await StubHost.with(behaviour) { host in
                #expect(await desk.run("install", manifest, "--yes", "--socket", host.socket) == .refused)
            }
            #expect(desk.terminal.error.contains("the previous files are restored: of a host's own reasons"))
            #expect(desk.installed.isEmpty)
        }
    }

    /// The behaviour of a host that refuses every manifest at the path `file`.
    private static func refusing(_ file: String, in folder: String) throws -> StubHost.Behaviour {
        let note = ManifestNote(severity: .error, message: "of a host's own reasons")
        let list = PluginListReply(plugins: [], refused: [.init(file: file, identifier: nil, problems: [note])])
        let status = try WireCoding.encode(Samples.host())
        let text = String(decoding: status, as: UTF8.self)
            .replacingOccurrences(of: "/etc/bgtask/manifests", with: folder)
        let listText = String(decoding: try WireCoding.encode(list), as: UTF8.self)
        let empty = PluginListReply(plugins: [], refused: [])
        let emptyText = String(decoding: try WireCoding.encode(empty), as: UTF8.self)
        let missing = ErrorReply(code: "not-found", subReason: "unknown-plugin", message: "there is no such plugin")
        let missingText = String(decoding: try WireCoding.encode(missing), as: UTF8.self)
        return { request in
            switch request.path {
            case "/v1/host": .body(status: 200, text)
            // A query for this one file: a host may have thousands of plugins.
            case let path where path.hasPrefix("/v1/plugins?") && path.contains("manifest="):
                .body(status: 200, listText)
            case let path where path.hasPrefix("/v1/plugins?"): .body(status: 200, emptyText)
            default: .body(status: 404, missingText)
            }
        }
    }

    @Test func `a library in the plugin directory stays there at installation and removal of its plugin`() async throws
    {
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

    @Test func `plugin install refuses a manifest that is installed already`() async throws {
        try await PluginDesk.with { desk in
            let manifest = try await desk.build("Obedient", in: "operator")
            #expect(await desk.run("install", manifest, "--yes") == .refused)
            #expect(desk.terminal.error.contains("it is installed"))
            #expect(desk.installed == ["Obedient.yaml", "libObedient.so"])
        }
    }

    @Test func `plugin install without a host requires --user, --system or --manifests`() async throws {
        let terminal = Terminal()
        #expect(await terminal.run("plugin", "install", "/nowhere/a.yaml", "--yes") == .unreachable)
        #expect(terminal.error.contains("--user, --system or --manifests"))
    }
}

@Suite("A plugin is removed with its installed files, and no other file")
struct PluginRemoveTests {
    @Test func `plugin remove --yes deletes manifest and library of the plugin and keeps other plugins`() async throws {
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

    @Test func `plugin remove keeps a library that another manifest names`() async throws {
        try await PluginDesk.with { desk in
            try await desk.build("Obedient", in: "operator")
            let other = "manifest: 1\nidentifier: com.example.other\nlibrary: libObedient.so\n"
            try desk.folder.write(other.utf8, to: "operator/other.yaml")
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .done)
            #expect(desk.installed == ["libObedient.so", "other.yaml"])
        }
    }

    @Test func `plugin remove of an unknown plugin is refused with the path of the manifest directory`() async throws {
        try await PluginDesk.with { desk in
            #expect(await desk.run("remove", "com.example.obedient", "--yes") == .refused)
            #expect(desk.terminal.error.contains(desk.folder.file("operator")))
        }
    }
}

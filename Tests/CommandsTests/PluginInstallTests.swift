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
    func `plugin install shows the requested grants, and which of them are not enforced, before the confirmation`()
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
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Plain", lines: Self.binding("plain_stay", "[]"))
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(fixture.terminal.output.contains("com.example.plain.task: void plain_stay(void)"))
            #expect(fixture.terminal.output.contains("warning: handlers[0]: passes no cancel-flag"))
            #expect(fixture.installed == ["com.example.plain.yaml", try fixture.installedName("Plain")])
        }
    }

    @Test func `plugin install shows changed arguments and success rules of a bound function`() async throws {
        try await PluginCommandFixture.with { fixture in
            let lines = Self.binding("plain_stay", "[{ int32: 5 }]").dropLast()
            let old = try await fixture.build("Plain", lines: lines + ["    returns: { int32: success-when-zero }"])
            #expect(await fixture.run("install", old, "--yes") == .done)
            let new = Self.binding("plain_stay", "[{ int32: 6 }]").dropLast()
            let manifest = try await fixture.build(
                "Plain",
                lines: new + ["    returns: { int32: success-when-nonzero }"]
            )
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let reported = fixture.terminal.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(
                reported.contains(
                    "- handlers: com.example.plain.task: int32_t plain_stay(int32_t); called with int32: 5"
                )
            )
            #expect(reported.contains("called with int32: 6; success-when-nonzero"), "\(reported)")
        }
    }

    @Test func `plugin install refuses a binding of a function that the library lacks, with line and suggestion`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Plain", lines: Self.binding("plain_sty", "[]"))
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.output.contains("Plain.yaml:9:13: error: handlers[0].symbol: library "))
            #expect(fixture.terminal.output.contains("write \"plain_stay\""))
            #expect(fixture.installed.isEmpty)
        }
    }

    @Test func `a library named by an absolute path stays in place at installation and removal`() async throws {
        try await PluginCommandFixture.with { fixture in
            let library = fixture.directory.file("vendor/libPlain.so")
            let manifest = try await fixture.build("Plain", lines: Self.binding("plain_stay", "[]"))
            let text = try #require(fixture.directory.text(of: "vendor/Plain.yaml"))
            try fixture.directory.write(
                text.replacingOccurrences(of: "library: libPlain.so", with: "library: \(library)").utf8,
                to: "vendor/Plain.yaml"
            )
            #expect(await fixture.run("install", manifest, "--library", "/dev/null", "--yes") == .refused)
            #expect(fixture.terminal.error.contains("leave --library out"))
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(fixture.installed == ["com.example.plain.yaml"])
            #expect(fixture.terminal.output.contains("stays in place"))
            #expect(await fixture.run("remove", "com.example.plain", "--yes") == .done)
            #expect(fixture.installed.isEmpty)
            #expect(FileManager.default.fileExists(atPath: library))
        }
    }

    @Test func `plugin remove keeps a library that another plugin's manifest names by an absolute path`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Plain", lines: Self.binding("plain_stay", "[]"))
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let library = fixture.directory.file("operator/\(try fixture.installedName("Plain"))")
            let other = Self.binding("plain_fail", "[]").map {
                $0.replacingOccurrences(of: "plain.task", with: "other.task")
            }
            let lines = ["manifest: 1", "identifier: com.example.other", "library: \(library)"] + other
            try fixture.directory.write(lines.map { $0 + "\n" }.joined().utf8, to: "operator/other.yaml")
            #expect(await fixture.run("remove", "com.example.plain", "--yes") == .done)
            #expect(FileManager.default.fileExists(atPath: library))
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

    @Test(arguments: [
        "library: libObedient.so   # beside it", "library: 'libObedient.so'", "\"library\" : \"libObedient.so\"",
        "library:\n  libObedient.so",
    ])
    func `plugin install changes only the value of the library key, plain, quoted or on the next line`(line: String)
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let text = "manifest: 1\nidentifier: com.example.obedient # libObedient.so\n\(line)\nname: libObedient.so\n"
            let manifest = try fixture.directory.write(text.utf8, to: "vendor/Obedient.yaml")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let changed = line.replacingOccurrences(of: "libObedient.so", with: try fixture.installedName("Obedient"))
            #expect(
                fixture.directory.text(of: "operator/com.example.obedient.yaml")
                    == text.replacingOccurrences(of: line, with: changed)
            )
        }
    }

    @Test func `plugin install refuses a library name with escape sequences, and prints the plain form to write`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let text = "manifest: 1\nidentifier: com.example.obedient\nlibrary: \"lib\\u004fbedient.so\"\n"
            let manifest = try fixture.directory.write(text.utf8, to: "vendor/Obedient.yaml")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("library: libObedient.so") && fixture.installed.isEmpty)
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary], ["Obedient", "libObedient.so"])
    func `plugin install accepts an XML or binary property list, keeps its nested keys, and refuses --pin`(
        format: PropertyListSerialization.PropertyListFormat,
        executable: String
    ) async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let keys: [String: Any] = [
                "CFBundleIdentifier": "com.example.obedient", "CFBundleName": "Obedient",
                "CFBundleExecutable": executable, "DTOther": ["CFBundleExecutable": executable],
            ]
            let data = try PropertyListSerialization.data(fromPropertyList: keys, format: format, options: 0)
            let manifest = try fixture.directory.write(Array(data), to: "vendor/Info.plist")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(try fixture.installed == ["com.example.obedient.plist", fixture.installedName("Obedient")])
            let installed = try Data(
                contentsOf: URL(filePath: fixture.directory.file("operator/com.example.obedient.plist"))
            )
            let list = try PropertyListSerialization.propertyList(from: installed, format: nil) as? [String: Any]
            #expect((list?["DTOther"] as? [String: String])?["CFBundleExecutable"] == executable)
            #expect(await fixture.run("install", manifest, "--yes", "--pin") == .refused)
            #expect(fixture.terminal.error.contains("a format without a key for the digest of the library"))
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
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient")
            let directory = fixture.directory.file("operator")
            let behaviour = try Self.refusing(directory + "/com.example.obedient.yaml", in: directory)
            try await StubHost.with(behaviour) { host in
                #expect(await fixture.run("install", manifest, "--yes", "--socket", host.socket) == .refused)
            }
            let message = "so the installation was undone; the host's reasons: of a host's own reasons"
            #expect(fixture.terminal.error.contains(message))
            #expect(fixture.installed.isEmpty)
        }
    }

    /// The behaviour of a host that refuses every manifest at the path `file`.
    private static func refusing(_ file: String, in directory: String) throws -> StubHost.Behaviour {
        let note = ManifestNote(severity: .error, message: "of a host's own reasons")
        let list = PluginListReply(plugins: [], refused: [.init(file: file, identifier: nil, problems: [note])])
        let status = try WireCoding.encode(Samples.host())
        let text = String(decoding: status, as: UTF8.self)
            .replacingOccurrences(of: "/etc/bgtask/manifests", with: directory)
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

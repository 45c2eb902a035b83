// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@testable import Commands

@Suite("plugin check and plugin inspect report their findings as text and as JSON")
struct PluginCheckTests {
    private func json(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test(arguments: [("Obedient", Commands.ExitStatus.done), ("NoNote", .cannotBeLoaded)])
    func `plugin check exits with 0 or the status of a failed verdict, and prints a closing line`(
        source: String,
        status: Commands.ExitStatus
    )
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build(source)
            #expect(await fixture.terminal.run("plugin", "check", manifest) == status)
            #expect(fixture.terminal.error.hasPrefix("bgtask: 1 manifest checked at level 0 of ABI 1.0: "))
        }
    }

    @Test(arguments: [
        (["--seed", "1"], "--seed has no effect at level 0"), (["--jobs", "2"], "--jobs has no effect at level 0"),
        (["--slack", "2"], "--slack has no effect at level 0"),
        (["--kind", "a.b=refresh", "--level", "0"], "--kind has no effect at level 0"),
        (["--setting", "a=b"], "add --level 1 or higher"),
        (["--include", "^leak-per-task$", "--level", "2"], "raise --level, up to 3"),
        (["--junit", "/tmp"], "is not a regular file"), (["--junit", "/dev/null"], "is not a regular file"),
    ])
    func `plugin check refuses an option without effect and a --junit path that is no regular file`(
        options: [String],
        message: String
    ) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["plugin", "check", "a.yaml"] + options) == .misuse)
        #expect(terminal.error.contains(message), "\(terminal.error)")
    }

    @Test(arguments: ["--only-failed", "--junit=a.xml", "--seed=1"])
    func `plugin check --list refuses the options of reports and of trials`(option: String) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["plugin", "check", "--list", option]) == .misuse)
        #expect(terminal.error.contains("--list runs no check, and "), "\(terminal.error)")
    }

    @Test func `a manifest that breaks a rule makes plugin check exit with 1 and name line and key`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("Obedient", lines: ["background-modes: [processing]"])
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .refused)
            #expect(fixture.terminal.output.contains("\(manifest):5:20: error: background-modes[0]: "))
        }
    }

    @Test
    func `plugin check exits with 6 and prints the given reason if a check excluded by --exclude fails`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("NoNote")
            let status = await fixture.terminal.run(
                "plugin",
                "check",
                manifest,
                "--exclude",
                "^elf-note$",
                "--reason",
                "the packager adds it"
            )
            #expect(status == .passedWithExclusions)
            #expect(fixture.terminal.output.contains("the packager adds it"))
        }
    }

    @Test func `plugin check --with treats another manifest as installed beside the checked one`() async throws {
        try await PluginCommandFixture.with { fixture in
            let lines = ["role: extension", "containing-plugin: com.example.neighbour"]
            let manifest = try await fixture.build("Obedient", lines: lines)
            let main = try await fixture.build(
                "Neighbour",
                lines: ["extensions: [com.example.obedient]"],
                in: "operator"
            )
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .refused)
            #expect(await fixture.terminal.run("plugin", "check", manifest, "--with", main) == .done)
        }
    }

    @Test func `the JSON of plugin check has fixed keys for the report, a manifest and a finding`() async throws {
        try await PluginCommandFixture.with { fixture in
            let manifest = try await fixture.build("NoNote", lines: ["rolle: main"])
            #expect(await fixture.terminal.run("plugin", "check", manifest, "--json") == .cannotBeLoaded)
            let report = try json(fixture.terminal.output)
            #expect(try JSONValue(parsing: Data(fixture.terminal.output.utf8)).quotedKeys == [])
            #expect(Set(report.keys) == ["format", "tool", "abi", "level", "verdict", "manifests"])
            #expect(report["format"] as? Int == 1 && report["level"] as? Int == 0 && report["abi"] as? String == "1.0")
            #expect(report["verdict"] as? String == "cannot-be-loaded")
            let first = try #require((report["manifests"] as? [[String: Any]])?.first)
            let keys = ["manifest", "manifest_digest", "identifier", "library", "library_digest", "verdict", "checks"]
            #expect(Set(first.keys) == Set(keys))
            let checks = try #require(first["checks"] as? [[String: Any]])
            let failed = try #require(checks.first { $0["check"] as? String == "manifest-keys" })
            #expect(failed["result"] as? String == "fail")
            let finding = try #require((failed["findings"] as? [[String: Any]])?.first)
            let parts = ["severity", "rule", "file", "line", "column", "key", "message", "remedy"]
            #expect(Set(finding.keys) == Set(parts) && finding["line"] as? Int == 5)
        }
    }

    @Test func `plugin check --list prints the checks as text and as JSON`() async throws {
        let terminal = Terminal()
        #expect(await terminal.run("plugin", "check", "--list") == .done)
        #expect(terminal.output.contains("elf-note") && terminal.output.contains("BGT-ABI-02"))
        let other = Terminal()
        #expect(await other.run("plugin", "check", "--list", "--json") == .done)
        #expect(try json(other.output)["checks"] is [[String: Any]])
    }

    @Test func `plugin inspect prints the library's digest for a pin, and whether this version of bgtaskd loads it`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            try await fixture.build("NewerMinor")
            #expect(
                await fixture.terminal.run("plugin", "inspect", fixture.directory.file("vendor/libObedient.so"))
                    == .done
            )
            #expect(fixture.terminal.output.contains("a host of this version loads it"))
            #expect(fixture.terminal.output.contains(try Regex("digest +sha256: [0-9a-f]{64}\n")))
            let newer = fixture.directory.file("vendor/libNewerMinor.so")
            #expect(await fixture.terminal.run("plugin", "inspect", newer) == .refused)
            #expect(fixture.terminal.output.contains("needs minor 99, header of minor 99"))
            #expect(fixture.terminal.error.contains("BGT-ABI-02") && fixture.terminal.error.contains("upgrade bgtaskd"))
        }
    }

    private static let bindingOfMissingFunction = [
        "background-modes: [processing]", "permitted-identifiers: [com.example.plain.task]", "handlers:",
        "  - identifier: com.example.plain.task", "    symbol: plain_sty", "    arguments: []", "    returns: void",
    ]

    @Test(arguments: [
        ("Obedient", ["sha256: \(String(repeating: "0", count: 64))"], "has the digest"),
        ("Obedient", ["sha256: DIGEST", "files: { gone.dat: \(String(repeating: "0", count: 64)) }"], "gone.dat"),
        ("Plain", bindingOfMissingFunction, "write \"plain_stay\""),
        ("Plain", [], "note"),
    ])
    func `plugin inspect of a manifest fails if a host refuses the manifest with the library beside it`(
        _ source: String,
        _ lines: [String],
        _ words: String
    ) async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build(source)
            let digest = try fixture.digest("vendor/lib\(source).so")
            let manifest = try await fixture.build(source, lines: lines.map { $0.replacing("DIGEST", with: digest) })
            #expect(await fixture.terminal.run("plugin", "inspect", manifest) == .refused)
            #expect((fixture.terminal.output + fixture.terminal.error).contains(words))
            #expect(fixture.terminal.error.contains("no host of this version loads this plugin"))
            let check = Terminal()
            #expect(await check.run("plugin", "check", manifest) != .done)
        }
    }

    @Test func `plugin inspect fails for a library with an undefined symbol, and names the symbol`() async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("UsesMissingFunction")
            let file = fixture.directory.file("vendor/libUsesMissingFunction.so")
            #expect(await fixture.terminal.run("plugin", "inspect", file) == .refused)
            #expect(fixture.terminal.output.contains("no host of this version loads it"))
            #expect(fixture.terminal.error.contains("missing_function"))
        }
    }

    @Test func `plugin inspect reports that an unrelated library is not a plugin but bindable by handlers`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Plain")
            let file = fixture.directory.file("vendor/libPlain.so")
            #expect(await fixture.terminal.run("plugin", "inspect", file) == .done)
            #expect(fixture.terminal.output.contains("not a plugin by itself; handlers of a manifest may bind"))
            let other = Terminal()
            #expect(await other.run("plugin", "inspect", file, "--json") == .done)
            let document = try json(other.output)
            #expect(try JSONValue(parsing: Data(other.output.utf8)).quotedKeys == [])
            #expect(document["loadable"] as? Bool == false && document["bindable"] as? Bool == true)

            try await fixture.build("Plain", flags: ["-Wl,-rpath,/tmp"])
            let refused = Terminal()
            #expect(await refused.run("plugin", "inspect", file) == .refused)
            #expect(refused.error.contains("\"/tmp\" in its search path") && !refused.error.contains("bgtask note"))
        }
    }

    @Test func `plugin check warns that a library named by an absolute path is allowed to the operator only`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            let lines = [
                "background-modes: [processing]", "permitted-identifiers: [com.example.plain.task]", "handlers:",
                "  - { identifier: com.example.plain.task, symbol: plain_fail, arguments: [cancel-flag], returns: void }",
            ]
            let manifest = try await fixture.build("Plain", lines: lines)
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .done)
            #expect(!fixture.terminal.error.contains("absolute path"))
            let text = try #require(fixture.directory.text(of: "vendor/Plain.yaml"))
            let whole = text.replacing("library: ", with: "library: \(fixture.directory.file("vendor"))/")
            try fixture.directory.write(whole.utf8, to: "vendor/Plain.yaml")
            #expect(await fixture.terminal.run("plugin", "check", manifest) == .done)
            #expect(fixture.terminal.error.contains("Plain.yaml names its library by an absolute path, which only"))
        }
    }

    @Test func `plugin inspect --json reports a file that is not a library, with its size and digest`() async throws {
        try await PluginCommandFixture.with { fixture in
            let file = try fixture.directory.write(Array("hello".utf8), to: "vendor/libText.so")
            #expect(await fixture.terminal.run("plugin", "inspect", file, "--json") == .refused)
            let document = try json(fixture.terminal.output)
            #expect(document["loadable"] as? Bool == false && document["size"] as? Int == 5)
            #expect((document["problems"] as? [[String: Any]])?.first?["code"] as? String == "not-an-elf")
            #expect((document["sha256"] as? String)?.count == 64)
            #expect(await fixture.terminal.run("plugin", "inspect", "/nowhere/libx.so") == .refused)
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostTestKit
import PluginCatalogue
import PluginChecker
import Testing

@Suite("The checker predicts from the files how a host decides")
struct PluginExaminationTests {
    @Test func `a valid plugin passes every plugin check that applies to it`() async throws {
        try await Bench.with { bench in
            let report = try #require(bench.check(try await bench.install("Obedient")))
            #expect(report.verdict == .conforms)
            #expect(report.checks(.skip) == [.libraryArchitectures, .libraryPinned, .containingPlugin])
            #expect(report.checks(.pass).count == PluginCheck.allCases.count - 3)
            #expect(report.libraryDigest?.count == 64 && report.manifestDigest.count == 64)
        }
    }

    @Test(arguments: [
        ("NoNote", PluginCheck.elfNote), ("NewerMajor", .elfNote), ("NewerMinor", .elfNote),
        ("NoEntrySymbol", .elfExports),
    ])
    func `a library that breaks one rule fails only the plugin check of this rule`(source: String, check: PluginCheck)
        async throws
    {
        try await Bench.with { bench in
            let report = try #require(bench.check(try await bench.install(source)))
            #expect(report.verdict == .cannotBeLoaded)
            #expect(report.checks(.fail) == [check] && report.checks(.warn).isEmpty)
            #expect(report.result(of: check)?.findings.first?.rule == check.rule)
        }
    }

    @Test(arguments: StaticFixture.all)
    func `files with one defect fail exactly the plugin check of this defect, or only warn of it`(
        fixture: StaticFixture
    ) async throws {
        try await Bench.with { bench in
            let report = try #require(bench.check(try await fixture.install(in: bench.directory)))
            #expect(report.checks(.fail).map(\.rawValue) == [fixture.failing].compactMap(\.self))
            #expect(report.checks(.warn).map(\.rawValue) == [fixture.warning].compactMap(\.self))
        }
    }

    @Test func `an executable stack causes a warning of plugin check, although a host accepts it`() async throws {
        try await Bench.with { bench in
            let file = try await bench.install("Obedient", flags: ["-Wl,-z,execstack"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .conforms && report.checks(.warn) == [.elfHardened])
            #expect(report.result(of: .elfHardened)?.findings.first?.message.contains("executable stack") == true)
        }
    }

    @Test func `text relocations fail only their plugin check`() async throws {
        try await Bench.with { bench in
            let file = try await bench.install("TextRelocations", flags: ["-Wl,-z,notext"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .cannotBeLoaded && report.checks(.fail) == [.elfTextRelocations])
            #expect(report.result(of: .elfTextRelocations)?.findings.first?.rule == "BGT-ABI-16")
        }
    }

    @Test func `a library that forbids dlopen fails only its plugin check, and another loader flag none`() async throws
    {
        try await Bench.with { bench in
            let file = try await bench.install("Obedient", flags: ["-Wl,-z,nodlopen"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .cannotBeLoaded && report.checks(.fail) == [.elfDlopenFlags])
        }
        try await Bench.with { bench in
            let file = try await bench.install("Obedient", flags: ["-Wl,-z,nodelete"])
            #expect(bench.check(file)?.verdict == .conforms)
        }
    }

    @Test func `a needed library that forbids dlopen fails the plugin check of dependencies`() async throws {
        try await Bench.with { bench in
            let flags = ["-Wl,-soname,libplain.so", "-Wl,-z,nodlopen"]
            let helper = try bench.directory.write(
                try await PluginCompiler.library("Plain", flags: flags),
                to: "libplain.so"
            )
            let linked = ["-Wl,--no-as-needed", helper, "-Wl,-rpath,$ORIGIN"]
            let report = try #require(bench.check(try await bench.install("Obedient", flags: linked)))
            #expect(report.verdict == .cannotBeLoaded && report.checks(.fail) == [.elfDependencies])
        }
    }

    @Test func `thread-local variables in static TLS cause one warning of plugin check, and no failure`()
        async throws
    {
        try await Bench.with { bench in
            let file = try await bench.install("ReservesThreadSpace", flags: ["-ftls-model=initial-exec"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .conforms && report.checks(.warn) == [.elfDlopenFlags])
        }
    }

    @Test func `a library with an undefined symbol fails a plugin check that names the symbol`() async throws {
        try await Bench.with { bench in
            let file = try await bench.install("UsesMissingFunction")
            let report = try #require(bench.check(file))
            #expect(report.verdict == .cannotBeLoaded && report.checks(.fail) == [.elfUndefined])
            #expect(report.result(of: .elfUndefined)?.findings.first?.message.contains("\"missing_function\"") == true)
        }
    }

    @Test func `a library with a needed library that the loader does not find fails a plugin check that names it`()
        async throws
    {
        try await Bench.with { bench in
            let plain = try await PluginCompiler.library("Plain", flags: ["-Wl,-soname,libplain.so"])
            let helper = try bench.directory.write(plain, to: "libhelper.so")
            let flags = ["-Wl,--no-as-needed", helper]
            let report = try #require(bench.check(try await bench.install("Obedient", flags: flags)))
            #expect(report.verdict == .cannotBeLoaded && report.checks(.fail) == [.elfDependencies])
            #expect(report.result(of: .elfDependencies)?.findings.first?.message.contains("libplain.so") == true)
        }
    }

    private static func binding(_ symbol: String, _ arguments: String) -> [String] {
        [
            "background-modes: [processing]", "permitted-identifiers: [com.example.task]", "handlers:",
            "  - identifier: com.example.task", "    symbol: \(symbol)", "    arguments: \(arguments)",
            "    returns: void",
        ]
    }

    @Test func `a library with bound functions passes plugin check without note and entry`() async throws {
        try await Bench.with { bench in
            let file = try await bench.install("Plain", lines: Self.binding("plain_stay", "[cancel-flag]"))
            let report = try #require(bench.check(file))
            #expect(report.verdict == .conforms && report.checks(.warn).isEmpty)
            #expect(report.checks(.pass).contains(.manifestHandlers) && report.checks(.pass).contains(.elfNote))
        }
    }

    @Test
    func `plugin check warns of a bound function without cancel flag and reports a missing function at its binding`()
        async throws
    {
        try await Bench.with { bench in
            let mute = try #require(
                bench.check(try await bench.install("Plain", lines: Self.binding("plain_stay", "[]")))
            )
            #expect(mute.verdict == .conforms && mute.checks(.warn) == [.manifestHandlers])
            let file = try await bench.install("Plain", lines: Self.binding("plain_sty", "[cancel-flag]"))
            let missing = try #require(bench.check(file))
            #expect(missing.verdict == .cannotBeLoaded && missing.checks(.fail) == [.elfExports])
            let finding = try #require(missing.result(of: .elfExports)?.findings.first)
            #expect(finding.line == 8 && finding.key == "handlers[0].symbol" && finding.file == file)
        }
    }

    @Test func `a library with note and entry fails the checks of note and exports if its manifest binds functions`()
        async throws
    {
        try await Bench.with { bench in
            let file = try await bench.install("Obedient", lines: Self.binding("bgtask_plugin_entry", "[cancel-flag]"))
            let report = try #require(bench.check(file))
            #expect(report.verdict == .cannotBeLoaded && report.checks(.fail) == [.elfNote, .elfExports])
        }
    }

    @Test func `a task identifier with one label causes a warning of plugin check, although a host accepts it`()
        async throws
    {
        try await Bench.with { bench in
            let file = try await bench.install("Obedient", lines: ["permitted-identifiers: [refresh]"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .conforms && report.checks(.warn) == [.manifestIdentifiers])
        }
    }

    @Test func `a limit that is requested but not enforced causes a warning of plugin check`() async throws {
        try await Bench.with { bench in
            let file = try await bench.install("Obedient", lines: ["limits: { memory: 1MiB }"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .conforms && report.checks(.warn) == [.manifestKeys])
        }
    }

    @Test func `plugin check reports all problems at once, and skipped checks with a reason`() async throws {
        try await Bench.with { bench in
            let file = try bench.describe("Broken", ["rolle: main", "background-modes: [procesing]", "sha256: abc"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .cannotBeLoaded)
            #expect(report.checks(.fail) == [.manifestKeys, .libraryFound])
            #expect(report.result(of: .manifestKeys)?.findings.map(\.line) == [4, 5, 6])
            #expect(report.result(of: .elfNote)?.reason == "the check library-found did not pass")
            let unread = try #require(bench.check(try bench.directory.write([0, 1], to: "binary.yaml")))
            #expect(unread.checks(.fail) == [.manifestReadable] && unread.verdict == .doesNotConform)
            #expect(unread.results.allSatisfy { $0.outcome == .fail || $0.reason != nil })
        }
    }

    @Test func `a missing feature fails one plugin check, and the checks that depend on the manifest are skipped`()
        async throws
    {
        try await Bench.with { bench in
            let file = try await bench.install("Obedient", lines: ["requires: [manifest.retry]", "retry: {}"])
            let report = try #require(bench.check(file))
            #expect(report.verdict == .doesNotConform && report.checks(.fail) == [.manifestRequires])
            #expect(report.checks(.pass) == [.manifestReadable])
            #expect(report.result(of: .manifestKeys)?.reason == "the check manifest-requires failed")
            #expect(report.result(of: .libraryFound)?.reason == "the check manifest-requires failed")
        }
    }

    @Test func `a library of another architecture that is missing, misbuilt or changed causes a warning at its place`()
        async throws
    {
        try await Bench.with { bench in
            let machine = ManifestHost.current.architecture
            let other = machine == "x86_64" ? "aarch64" : "x86_64"
            let file = try await bench.install("Obedient")
            func report(_ path: String, _ lines: String = "") throws -> ManifestReport {
                let library = "library: { \(machine): libObedient.so, \(other): \(path) }"
                let text = "manifest: 1\nidentifier: com.example.obedient\n\(library)\n\(lines)\n"
                try bench.directory.write(text.utf8, to: "Obedient.yaml")
                return try #require(bench.check(file))
            }
            func warning(_ report: ManifestReport) -> CheckFinding? {
                #expect(report.verdict == .conforms && report.checks(.warn).contains(.libraryArchitectures))
                return report.result(of: .libraryArchitectures)?.findings.last
            }
            let missing = warning(try report("lib/other.so"))
            #expect(missing?.key == "library.\(other)" && missing?.line == 3 && missing?.rule == "architecture")
            #expect(warning(try report("libObedient.so"))?.message.contains("is built for \(machine)") == true)
            var bytes = try await PluginCompiler.library("Obedient")
            // The machine of the ELF header: 62 is x86_64, 183 is aarch64.
            bytes[18] = bytes[18] == 62 ? 183 : 62
            try bench.directory.write(bytes, to: "other.so")
            #expect(try report("other.so").checks(.warn).isEmpty)
            let pins = "sha256: { \(other): \(String(repeating: "a", count: 64)) }"
            let changed = warning(try report("other.so", pins))
            #expect(changed?.key == "sha256.\(other)" && changed?.message.contains("has the digest") == true)
        }
    }

    @Test func `an extension passes plugin check only together with its main plugin`() async throws {
        try await Bench.with { bench in
            let lines = ["role: extension", "containing-plugin: com.example.neighbour"]
            let file = try await bench.install("Obedient", lines: lines)
            let alone = try #require(bench.check(file))
            #expect(alone.verdict == .doesNotConform && alone.checks(.fail) == [.containingPlugin])
            _ = try await bench.install("Neighbour", lines: ["extensions: [com.example.obedient]"])
            #expect(bench.check(file)?.verdict == .conforms)
        }
    }

    @Test func `excluded plugin checks are in the report, with the reason`() async throws {
        try await Bench.with { bench in
            let file = try await bench.install("NoNote")
            let without = try CheckSelection(include: nil, exclude: "elf-note", reason: "built by hand")
            let report = try #require(bench.check(file, without))
            #expect(report.verdict == .passedWithExclusions && report.checks(.excluded) == [.elfNote])
            #expect(report.result(of: .elfNote)?.reason == "built by hand")
            let only = try CheckSelection(include: "elf-n.te", exclude: nil, reason: nil)
            let narrow = try #require(bench.check(file, only))
            #expect(narrow.verdict == .cannotBeLoaded)
            #expect(narrow.checks(.excluded).count == PluginCheck.allCases.count - 1)
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginInstaller
import Synchronization
import Testing

@testable import Commands

@Suite(
    "A plugin of bound functions is installed with their signatures shown, and libraries of the system stay in place"
)
struct PluginInstallFunctionTests {
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
}

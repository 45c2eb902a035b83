// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginCatalogue
import Testing

@Suite("A hostile manifest is refused and harms no other plugin")
struct HostileManifestTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        /// Line of the problem, from 1; nil if the problem concerns the whole file.
        let line: Int?
        /// Parts of the expected message: of the rule and the remedy.
        let words: [String]

        init(_ name: String, _ text: String, line: Int? = nil, _ words: String...) {
            (self.name, self.text, self.line, self.words) = (name, text, line, words)
        }

        var testDescription: String { name }
    }

    private static let machine = ManifestHost.current.architecture
    private static let foreign = machine == "aarch64" ? "x86_64" : "aarch64"
    private static let head = "manifest: 1\nidentifier: com.example.hostile\n"
    private static let tail = "background-modes: [processing]\npermitted-identifiers: [com.example.hostile.task]\n"

    static let hostile = [
        Hostile("empty", "", "is empty", "write key: value"),
        Hostile("huge", head + String(repeating: "# nothing but remarks\n", count: 200_000), "bytes"),
        Hostile("binary", "\u{7f}ELF\u{2}\u{1}\u{1}\u{0}\u{0}\u{0}", line: 1, "character"),
        Hostile("deep", head + "x-deep: " + String(repeating: "[", count: 5_000), line: 3, "deep"),
        Hostile(
            "exploding aliases",
            head + "x-a: &a [x, x, x, x, x, x, x, x, x]\nx-b: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nx-c: [*b, *b, *b]\n",
            line: 5,
            "aliases"
        ),
        Hostile(
            "duplicate keys",
            head + "library: a.so\nlibrary: b.so\n" + tail,
            line: 4,
            "is already on line 3",
            "remove one"
        ),
        Hostile(
            "a feature that the host does not have",
            head + "requires: [manifest.later]\nlater: {}\nlibrary: libNeighbour.so\n" + tail,
            line: 3,
            "manifest.later",
            "upgrade bgtaskd"
        ),
        Hostile(
            "no library for the machine",
            head + "library: { \(foreign): libNeighbour.so }\n" + tail,
            line: 3,
            "no library for \(machine), the architecture of this machine, but only for \(foreign)",
            "install a version of the plugin for"
        ),
        Hostile("a path that climbs out", head + "library: ../../etc/libEscapes.so\n" + tail, line: 3, "library"),
        Hostile("an absolute path", head + "library: /usr/lib/libEscapes.so\n" + tail, line: 3, "library"),
        Hostile("a link that leads out", head + "library: libLink.so\n" + tail, line: 3, "libLink.so"),
        Hostile(
            "another plugin's identifier",
            "manifest: 1\nidentifier: com.example.neighbour\nlibrary: libNeighbour.so\n"
                + tail.replacing("hostile", with: "neighbour"),
            line: 2,
            "com.example.neighbour"
        ),
        Hostile(
            "another plugin's task",
            head + "library: libNeighbour.so\nbackground-modes: [processing]\n"
                + "permitted-identifiers: [com.example.neighbour.task]\n",
            line: 5,
            "com.example.neighbour.task"
        ),
    ]

    @Test(arguments: hostile)
    func `a hostile manifest is refused with file, line, rule and remedy, while another plugin runs`(_ hostile: Hostile)
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let outside = try host.directory.write(try await PluginCompiler.library("Obedient"), to: "libOutside.so")
            try FileManager.default.createSymbolicLink(
                atPath: host.directory.file("plugins/libLink.so"),
                withDestinationPath: outside
            )
            // This file sorts before the neighbour's manifest, so that the order of names does not decide.
            let file = try host.directory.write(hostile.text.utf8, to: "manifests/Aaa.yaml")
            try await host.waitForLog("the refusal") { $0.contains("manifest refused") && $0.contains("Aaa.yaml") }
            try await host.withstands("the refusal") { try await !host.client.plugins().refused.isEmpty }

            let list = try await host.client.plugins()
            #expect(list.plugins.map(\.identifier) == [TestPlugin.neighbour.identifier])
            let refused = try #require(list.refused.first)
            #expect(refused.file == file && list.refused.count == 1)
            let problem = try #require(
                refused.problems.first { problem in
                    problem.severity == .error && hostile.words.allSatisfy { problem.message.contains($0) }
                },
                "\(refused.problems)"
            )
            #expect(problem.line == hostile.line, "\(problem)")
            // The message has a rule and a remedy.
            #expect(problem.message.contains("; "), "\(problem)")
            if let identifier = refused.identifier {
                let reported = try await host.waitForJournal("the refusal") { $0.event == "plugin-refused" }
                #expect(
                    reported.plugin == identifier && reported.message.contains(file) && reported.message.contains("; ")
                )
                let omitsProblems = reported.message.contains("further problems: ")
                #expect(omitsProblems || hostile.words.allSatisfy { reported.message.contains($0) })
            }
            let check = try await host.check()
            #expect(check.status == 1 && check.output.contains(file), "\(check)")
        }
    }
}

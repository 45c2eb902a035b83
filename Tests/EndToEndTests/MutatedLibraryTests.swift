// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("plugin check survives the launches of damaged libraries that pass its examination")
struct MutatedLibraryTests {
    /// The number of libraries; `make fuzz` checks more.
    private static let count = ProcessInfo.processInfo.environment["BGTASK_MUTANTS"].flatMap(Int.init) ?? 200
    private static let batch = 50

    private struct Document: Decodable {
        struct Manifest: Decodable {
            struct Check: Decodable {
                let check: String
                let result: String
            }

            let verdict: String
            let checks: [Check]
        }

        let manifests: [Manifest]
    }

    @Test func `plugin check judges each of 200 seeded changes of a library, although some of their launches crash`()
        async throws
    {
        // It registers the identifiers of the launch, so that each copy has its own.
        let good = try await PluginCompiler.library("Recorder")
        var library = try MutatedLibrary(of: good, seed: 1)
        var (launched, crashed) = (0, 0)
        for start in stride(from: 0, to: Self.count, by: Self.batch) {
            let copies = (start..<min(start + Self.batch, Self.count)).map { ($0, library.next()) }
            for manifest in try await Self.check(copies) {
                #expect(manifest.verdict != "checker-failed")
                let results = manifest.checks.filter { $0.check == "load-now" && $0.result != "skip" }
                launched += results.count
                crashed += manifest.checks.contains { $0.result == "crash" } ? 1 : 0
            }
        }
        #expect(launched > Self.count / 2 && crashed > 0, "\(launched) launched, \(crashed) crashed")
    }

    /// Checks the copies at level 1, with those checks that need few launches.
    private static func check(_ copies: [(Int, [UInt8])]) async throws -> [Document.Manifest] {
        try await ScratchDirectory.with { directory in
            var manifests: [String] = []
            for (number, bytes) in copies {
                let plugin = TestPlugin("Copy\(number)")
                try directory.write(bytes, to: "lib\(plugin.name).so")
                manifests.append(try directory.write(plugin.manifest.utf8, to: "\(plugin.name).yaml"))
            }
            let checks = "^(load-now|entry-succeeds|no-crash|elf-.*)$"
            let options = ["--level", "1", "--include", checks, "--seed", "1", "--json"]
            let run = try await HostSlots.withSlot {
                try await ProgramRun.of(
                    BuiltProgram.command.path(),
                    ["plugin", "check"] + manifests + options,
                    within: .seconds(120)
                )
            }
            let document = try JSONDecoder().decode(Document.self, from: Data(run.output.utf8))
            #expect(document.manifests.count == copies.count, "\(run.error)")
            return document.manifests
        }
    }
}

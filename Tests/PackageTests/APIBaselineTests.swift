// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("Code of vendors that compiled with the last version of the Swift modules still compiles")
struct APIBaselineTests {
    private static let directory = PackageManifest.root.appending(path: "SDK/Baseline")

    /// Compares the modules of this build with the baseline in a directory.
    private func check(_ baseline: String) async throws -> ProgramRun {
        let build = URL(filePath: try BuiltProgram.command.path()).deletingLastPathComponent().path
        var environment = ProcessInfo.processInfo.environment
        environment["BGTASK_BASELINE"] = baseline
        return try await ProgramRun.of(
            "/usr/bin/env",
            [Self.directory.appending(path: "check").path, build],
            environment: environment
        )
    }

    @Test func `the Swift modules have every public declaration of the baseline`() async throws {
        let run = try await check(Self.directory.path)
        #expect(run.status == 0, "\(run.output)\(run.error)")
    }

    @Test func `the API check names a renamed function of the baseline, and the remedies`() async throws {
        try await ScratchDirectory.with { directory in
            for name in try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
            where name.hasSuffix(".json") {
                let text = try String(contentsOf: Self.directory.appending(path: name), encoding: .utf8)
                try directory.write(text.replacing("\"setting(_:)\"", with: "\"option(_:)\"").utf8, to: name)
            }
            let run = try await check(directory.path)
            #expect(run.status == 1)
            #expect(run.error.contains("BackgroundPlugin.option(_:) has been renamed to Func setting(_:)"))
            #expect(run.error.contains("@available(*, deprecated") && run.error.contains("make api-renew"))
        }
    }
}

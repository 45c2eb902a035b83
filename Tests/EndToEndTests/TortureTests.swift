// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import StatementTraits
import Testing

@Suite("Hosts that are killed at any point keep all acknowledged submissions", .proves("C3", "C10"))
struct TortureTests {
    private static let script = ExampleLibrary.root + "/Tests/Torture/run"

    /// Runs the short form of `make torture`.
    @Test func `hosts killed before or after any of their actions keep all acknowledged submissions`() async throws {
        let programs = try (BuiltProgram.host.path() as NSString).deletingLastPathComponent
        let seed = ProcessInfo.processInfo.environment["BGTASK_SEED"] ?? String(Int.random(in: 1...999_999))
        let run = try await ProgramRun.of(
            "/usr/bin/python3",
            [Self.script, programs, "--short", "--seed", seed],
            within: .seconds(600)
        )
        let repetition = "repeat it with: Tests/Torture/run \(programs) --short --seed \(seed)"
        #expect(run.status == 0, "\(repetition)\n\(run.output)\(run.error)")
    }
}

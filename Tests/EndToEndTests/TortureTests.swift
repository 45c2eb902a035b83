// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import StatementTraits
import Testing

@Suite(
    "Hosts that are killed at many points, or lack resources, keep all acknowledged submissions",
    .proves("C3", "C10"),
    .serialized
)
struct TortureTests {
    private static let script = ExampleLibrary.root + "/Tests/Torture/run"

    @Test func `hosts killed around their actions in the short form of make torture keep all acknowledged submissions`()
        async throws
    {
        try await play("boundaries", "kills", "cursors", "pauses", "steps", "burst")
    }

    @Test
    func `hosts with faults of resources or files in the short form of make torture keep acknowledged submissions`()
        async throws
    {
        try await play("faults")
    }

    /// Runs chapters of the short form of `make torture`.
    private func play(_ chapters: String...) async throws {
        let programs = try (BuiltProgram.host.path() as NSString).deletingLastPathComponent
        let seed = ProcessInfo.processInfo.environment["BGTASK_SEED"] ?? String(Int.random(in: 1...999_999))
        let arguments = [programs, "--short", "--seed", seed] + chapters.flatMap { ["--only", $0] }
        let run = try await ProgramRun.of("/usr/bin/python3", [Self.script] + arguments, within: .seconds(600))
        let repetition = "repeat it with: Tests/Torture/run \(arguments.joined(separator: " "))"
        #expect(run.status == 0, "\(repetition)\n\(run.output)\(run.error)")
    }
}

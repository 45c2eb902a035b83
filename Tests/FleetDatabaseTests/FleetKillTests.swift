// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("A fleet loses and repeats no item when its hosts, feeders and database are killed")
struct FleetKillTests {
    private static let script = URL(filePath: #filePath).appending(path: "../../Fleet/kills").standardized.path

    @Test func `after random kills each acknowledged item of a fleet has one outcome`() async throws {
        let programs = try (BuiltProgram.host.path() as NSString).deletingLastPathComponent
        let run = try await HostSlots.withSlot {
            try await ProgramRun.of(
                "/usr/bin/python3",
                [Self.script, programs, "--hosts", "3", "--minutes", "0.33"],
                within: .seconds(500)
            )
        }
        #expect(run.status == 0, "\(run.output)\(run.error.suffix(20_000))")
    }
}

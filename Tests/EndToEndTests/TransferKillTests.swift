// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("A download continues at its last byte when the host and its own process are killed")
struct TransferKillTests {
    private static let library = PreparedFile.path("plugins/libbgtask-transfer.so")
    private static let script = ExampleLibrary.root + "/Tests/Transfers/kills"

    @Test(.enabled(if: library != nil, "takes the transfer library, which make plugins builds"))
    func `after four kills of the host and four of the transfer, its plugin is launched once and takes the right file`()
        async throws
    {
        let programs = try (BuiltProgram.host.path() as NSString).deletingLastPathComponent
        let run = try await HostSlots.withSlot {
            try await ProgramRun.of(
                "/usr/bin/python3",
                [Self.script, programs, "--megabytes", "64", "--kills", "4", "--rate", "8388608", "--shift-clock"],
                within: .seconds(300)
            )
        }
        #expect(run.status == 0, "\(run.output)\(run.error.suffix(20_000))")
    }
}

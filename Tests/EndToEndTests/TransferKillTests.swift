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
        let run = try await run("--megabytes", "64", "--kills", "4")
        #expect(run.status == 0, "\(run.output)\(run.error.suffix(20_000))")
        #expect(run.output.contains("kills: 4 of the host, 4 of the transfer") && run.output.contains("relaunches: 1;"))
    }

    @Test(.enabled(if: library != nil, "takes the transfer library, which make plugins builds"))
    func `the script of the kills fails when the server sends the whole file each time`() async throws {
        let run = try await run("--megabytes", "16", "--kills", "1", "--ignore-ranges")
        #expect(run.status == 1)
        #expect(run.error.contains("bytes were fetched twice, at most 2 % may be"), "\(run.error.suffix(20_000))")
    }

    private func run(_ options: String...) async throws -> ProgramRun {
        let programs = try (BuiltProgram.host.path() as NSString).deletingLastPathComponent
        return try await HostSlots.withSlot {
            try await ProgramRun.of(
                "/usr/bin/python3",
                [Self.script, programs, "--rate", "8388608", "--shift-clock"] + options,
                within: .seconds(300)
            )
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("The transfer library against a server that misbehaves")
struct TransferLibraryTests {
    private static let program = PreparedFile.path("plugins/transfer-try")
    private static let script = URL(filePath: #filePath).appending(path: "../../Transfers/run").standardized.path

    @Test(.enabled(if: program != nil, "takes transfer-try, which make plugins builds"))
    func `interrupted, redirected and forged transfers end as the rules of resuming say, never with a wrong file`()
        async throws
    {
        let program = try #require(Self.program)
        let directory = (program as NSString).deletingLastPathComponent
        let run = try await HostSlots.withSlot {
            try await ProgramRun.of("/usr/bin/python3", [Self.script, directory], within: .seconds(300))
        }
        #expect(run.status == 0, "\(run.output.suffix(20_000))\(run.error)")
    }
}

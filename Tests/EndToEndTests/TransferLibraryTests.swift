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
        let words = Namespaces.arePermitted ? [] : ["--without-namespaces"]
        let run = try await Self.run(words)
        #expect(run.status == 0, "\(run.output.suffix(20_000))\(run.error)")
    }

    @Test(
        .enabled(if: program != nil, "takes transfer-try, which make plugins builds"),
        .enabled(
            if: Namespaces.arePermitted,
            "takes network and mount namespaces: root, or unprivileged user namespaces"
        )
    )
    func `a redirect or a name leads no transfer to a private address without permission`() async throws {
        let run = try await Self.run(["-k", "AddressTests"])
        #expect(run.status == 0, "\(run.output.suffix(20_000))\(run.error)")
    }

    private static func run(_ words: [String]) async throws -> ProgramRun {
        let directory = (try #require(program) as NSString).deletingLastPathComponent
        return try await HostSlots.withSlot {
            try await ProgramRun.of("/usr/bin/python3", [script, directory] + words, within: .seconds(300))
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import StatementTraits
import Testing

@Suite("Unmodified clients of Apple's push service push to a host through its gateway", .proves("C22"))
struct PushClientTests {
    private static let python = PreparedFile.path("push-clients/bin/python")
    private static let script = URL(filePath: #filePath).appending(path: "../../PushClients/run").standardized.path
    /// The number of pushes; the environment variable `BGTASK_PUSHES` has another one.
    private static let count = ProcessInfo.processInfo.environment["BGTASK_PUSHES"] ?? "500"

    @Test(
        .enabled(if: python != nil, "takes make push-client-packages, with PyPI"),
        .enabled(
            if: Namespaces.arePermitted,
            "takes network and mount namespaces: root, or unprivileged user namespaces"
        )
    )
    func `each accepted push of aioapns, pyapns_client and kalyke ends in the journal, and wrong ones are refused`()
        async throws
    {
        let python = try #require(Self.python)
        let programs = (try BuiltProgram.host.path() as NSString).deletingLastPathComponent
        let run = try await HostSlots.withSlot {
            try await ProgramRun.of(
                "/usr/bin/python3",
                [Self.script, programs, python, "--count", Self.count],
                within: .seconds(600)
            )
        }
        #expect(run.status == 0, "\(run.output)\(run.error)")
    }
}

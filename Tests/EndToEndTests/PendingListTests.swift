// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import Testing

@Suite("A plugin lists and cancels its pending requests")
struct PendingListTests {
    @Test(.proves(39, 40, 41, 42, 43, 44, "C20"))
    func `a plugin visits copies of its pending requests, oldest first, and cancels one or all of them`()
        async throws
    {
        let plugin = TestPlugin("VisitsPending", tasks: ["task", "later", "next"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            let (first, second) = (
                ".later processing network 4102444800000000000 4102444800000000001 the first colours",
                ".next processing power 0 0 the second "
            )
            let seen = """
                nothing: 0 BGT_OK
                both: 0 BGT_OK
                \(first)
                \(second)
                scribbled: 0 BGT_OK
                unharmed: 0 BGT_OK
                \(first)
                \(second)
                ended: -7 plugin status
                \(first)
                meddled: 102 BGT_WRONG_PHASE
                unknown BGT_OK
                later BGT_OK
                one: 0 BGT_OK
                \(second)
                all BGT_OK
                none: 0 BGT_OK

                """
            #expect(host.containerText(plugin, "seen.txt") == seen)
            let violation = try await host.waitForJournal("the violation") { $0.event == "violation" }
            #expect(violation.plugin == plugin.identifier && violation.message.contains("BGT-ABI-12"))
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }
}

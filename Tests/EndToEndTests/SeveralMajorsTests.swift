// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import StatementTraits
import Testing

@Suite("A library for several majors of the ABI runs on a host of one of them")
struct SeveralMajorsTests {
    @Test(.proves("BGT-ABI-02"))
    func `a library with a note and an entry for a later major too runs as a plugin of this host's major`() async throws
    {
        let plugin = TestPlugin("TwoMajors")
        try await HostFixture.with(plugins: [plugin]) { host in
            for submission in try await host.submitTogether(plugin) {
                #expect(try await host.outcome(of: submission).event == "succeeded")
            }
        }
    }
}

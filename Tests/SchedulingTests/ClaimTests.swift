// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The journal entries about a request with a claim contain the claim")
struct ClaimTests {
    let host = SchedulerDriver.inFleet()
    let claim = Claim(item: 71, fence: 3, isBound: false)

    private func submitClaimed(needsPower: Bool = false) {
        host.renew()
        host.claim(.clean, needsPower: needsPower)
    }

    @Test func `the acceptance and the outcome of a claimed request have the claim`() throws {
        submitClaimed()
        host.enter()
        host.complete(.clean)
        #expect(host.entries(.submitted).map(\.claim) == [claim])
        #expect(host.entries(.task(.succeeded)).map(\.claim) == [claim])
    }

    @Test func `a request that replaces a claimed one has no claim, and the entry about the replaced one has it`() {
        host.change(power: false)
        submitClaimed(needsPower: true)
        host.submit(.clean, needsPower: true)
        #expect(host.entries(.replaced).map(\.claim) == [claim])
        #expect(host.entries(.submitted).map(\.claim) == [claim, nil])
    }

    @Test func `the entry about a cancelled claimed request has the claim`() {
        host.change(power: false)
        submitClaimed(needsPower: true)
        host.cancel(.clean)
        #expect(host.entries(.cancelled).map(\.claim) == [claim])
    }
}

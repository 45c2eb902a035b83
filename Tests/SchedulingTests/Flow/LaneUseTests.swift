// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A stopping launch uses no capacity, unless its lane has more stopping launches than its limit")
struct LaneUseTests {
    @Test(
        .proves("C7"),
        arguments: [
            (running: 0, stopping: 0, used: 0), (3, 0, 3), (3, 1, 3), (3, 4, 3), (3, 5, 4), (0, 7, 3), (0, 8, 4),
            (6, 0, 6), (6, 5, 7),
        ]
    )
    func `with a limit of four, running launches and the fifth and later stopping launches use capacity`(
        _ sample: (running: Int, stopping: Int, used: Int)
    ) {
        let use = LaneUse(running: sample.running, stopping: sample.stopping)
        #expect(use.used(of: 4) == sample.used && use.isUsedUp(4) == (sample.used >= 4))
        #expect((use.reason(in: .event, limit: 4) == nil) == (sample.used < 4))
    }

    @Test(.proves("C7"), arguments: [1, 2, 4, 100])
    func `a lane whose launches all stop, and that is filled after each stop, has at most twice its limit of launches`(
        _ limit: Int
    ) {
        var use = LaneUse()
        for _ in 1...(5 * limit) {
            while !use.isUsedUp(limit) { use.running += 1 }
            if use.running > 0 { (use.running, use.stopping) = (use.running - 1, use.stopping + 1) }
            #expect(use.running + use.stopping <= 2 * limit)
        }
        #expect(use == LaneUse(running: 0, stopping: 2 * limit))
    }

    @Test(.proves("C7"), arguments: 0...9)
    func `with a limit of four, the stop of a launch does not raise the used capacity`(_ stopping: Int) {
        for running in 1...9 {
            let before = LaneUse(running: running, stopping: stopping)
            let after = LaneUse(running: running - 1, stopping: stopping + 1)
            #expect(after.used(of: 4) <= before.used(of: 4))
        }
    }

    @Test(.proves("C13")) func `the reason against a launch names the stopping launches only if some use capacity`() {
        #expect(LaneUse(running: 4, stopping: 4).reason(in: .event, limit: 4) == .launchLimit(.event, limit: 4))
        let full = Reason.launchLimit(.event, limit: 4, stopping: 5)
        #expect(LaneUse(running: 3, stopping: 5).reason(in: .event, limit: 4) == full)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A task that runs at every loss of the host is delayed, runs alone and is abandoned")
struct HostLossTests {
    let host = SchedulerDriver(.app(), .mail())

    private func loseHost() {
        host.restart(after: .seconds(1))
        host.advance(by: .minutes(5))
    }

    @Test(.proves("C3"))
    func `a task runs alone and delayed after the second loss of its host and is abandoned after the fifth`() throws {
        host.submit(.clean)
        host.restart()
        #expect(host.running == [.clean] && host.lastPlan?.cause == .relaunch)
        host.restart()
        #expect(host.request(.clean)?.retry.hostLosses == 2 && host.running.isEmpty)
        host.advance(by: .seconds(10))
        #expect(host.running == [.clean] && host.lastPlan?.tasks.first?.work.retry.runsAlone == true)
        for _ in 3...4 { loseHost() }
        #expect(host.outcomes(of: .clean).allSatisfy { $0 == .interrupted })
        host.restart()
        #expect(host.outcomes(of: .clean).last == .abandoned)
        let entry = try #require(host.lastEntry(of: .clean))
        #expect(entry.blame == .unknown && entry.message.contains("5 times"))
    }

    @Test(.proves("C3")) func `an orderly stop of the host is not counted as a loss`() {
        host.submit(.clean)
        host.enter()
        host.stop()
        host.exit()
        host.restart()
        #expect(host.lastPlan?.tasks.first?.work.retry == Retry(wasInterrupted: true))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A task is completed once, and what the plugin says is what is recorded")
struct CompletionTests {
    let host = SchedulerDriver(.app())

    init() {
        host.submit(.clean)
        host.enter()
    }

    @Test(
        .proves(55),
        arguments: [
            (CompletionOutcome.success, TaskOutcome.succeeded), (.failure, .failed), (.noData, .noData),
        ]
    )
    func `the outcome is recorded as given`(_ said: CompletionOutcome, _ outcome: TaskOutcome) {
        host.complete(.clean, as: said)
        #expect(host.outcomes(of: .clean) == [outcome])
        #expect(host.lastEntry(of: .clean)?.blame == (said == .failure ? .plugin : .nobody))
    }

    @Test(.proves(55)) func `a failure is only a report: nothing is tried again`() {
        host.complete(.clean, as: .failure)
        host.advance(by: .days(30))
        #expect(host.pending.isEmpty && host.plans.count == 1)
    }

    @Test(.proves(55)) func `who wants to try again submits before completing`() {
        host.submit(.clean, after: .minutes(5))
        host.complete(.clean, as: .failure)
        host.advance(by: .minutes(5))
        #expect(host.plans.count == 2)
    }

    @Test(.proves(62)) func `a completion after the launch is over changes nothing`() {
        host.complete(.clean)
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves(62)) func `the first completion wins, a second gets a journal line`() throws {
        host.complete(.clean)
        host.advance(by: .seconds(1))
        host.submit(.vacuum, after: .minutes(1))
        host.submit(.index, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.complete(.vacuum)
        host.complete(.vacuum, as: .failure)
        let violation = try #require(host.entries(.violation).first)
        #expect(violation.message.contains("BGT-ABI-09"))
        #expect(host.outcomes(of: .vacuum) == [.succeeded])
        #expect(host.running == [.index])
    }

    @Test(.proves(53)) func `a process that leaves after its last task ends a completed launch`() throws {
        host.processesObey = false
        host.complete(.clean)
        #expect(host.finished.count == 1 && host.launchOutcomes.isEmpty)
        host.exit()
        #expect(host.launchOutcomes == [.completed])
        #expect(try #require(host.lastLaunchEntry).blame == .nobody)
    }

    @Test(.proves(53)) func `a process that lingers after its last task is ended`() {
        host.processesObey = false
        host.complete(.clean)
        host.advance(by: .seconds(6))
        #expect(host.killed.count == 1)
        host.end(nil, .signaled(9))
        #expect(host.launchOutcomes == [.completed])
        #expect(host.lastLaunchEntry?.message.contains("did not exit within the grace period") == true)
    }

    @Test(.proves(53)) func `a crash after the last task is the launch's, not the task's`() {
        host.processesObey = false
        host.complete(.clean)
        host.crash()
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.launchOutcomes == [.crashed])
        #expect(host.pending.isEmpty)
    }
}

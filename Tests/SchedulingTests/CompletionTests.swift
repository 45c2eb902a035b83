// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A task is completed once, with the outcome that the plugin reports")
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
    func `a completion records the reported outcome and blames the plugin only for a failure`(
        _ said: CompletionOutcome,
        _ outcome: TaskOutcome
    ) {
        host.complete(.clean, as: said)
        #expect(host.outcomes(of: .clean) == [outcome])
        #expect(host.lastEntry(of: .clean)?.blame == (said == .failure ? .plugin : .nobody))
    }

    @Test(.proves(55)) func `a task completed as failed is not retried`() {
        host.complete(.clean, as: .failure)
        host.advance(by: .days(30))
        #expect(host.pending.isEmpty && host.plans.count == 1)
    }

    @Test(.proves(55))
    func `a request submitted while its identifier runs is launched although the running task fails`() {
        host.submit(.clean, after: .minutes(5))
        host.complete(.clean, as: .failure)
        host.advance(by: .minutes(5))
        #expect(host.plans.count == 2)
    }

    @Test(.proves(62)) func `a second completion after the end of the launch does not change the task's outcome`() {
        host.complete(.clean)
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves(62)) func `the second completion of a task is a violation and does not change the outcome`() throws {
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

    @Test(.proves(53)) func `a launch ends as completed when its process exits after the last completion`() throws {
        host.processesObey = false
        host.complete(.clean)
        #expect(host.finished.count == 1 && host.launchOutcomes.isEmpty)
        host.exit()
        #expect(host.launchOutcomes == [.completed])
        #expect(try #require(host.lastLaunchEntry).blame == .nobody)
    }

    @Test(.proves(53)) func `a process that lingers after its last completion is killed`() {
        host.processesObey = false
        host.complete(.clean)
        host.advance(by: .seconds(6))
        #expect(host.killed.count == 1)
        host.end(nil, .signaled(9))
        #expect(host.launchOutcomes == [.completed])
        #expect(host.lastLaunchEntry?.message.contains("did not exit within the grace period") == true)
    }

    @Test(.proves(53)) func `a crash after the last completion is an outcome of the launch, not of the task`() {
        host.processesObey = false
        host.complete(.clean)
        host.crash()
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.launchOutcomes == [.crashed])
        #expect(host.pending.isEmpty)
    }
}

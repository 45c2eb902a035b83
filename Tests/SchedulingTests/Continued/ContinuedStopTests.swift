// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A user can stop a continued task while it waits, starts or runs")
struct ContinuedStopTests {
    let host = SchedulerDriver(.studio()) { $0.continuedLaunches = 1 }

    @Test(.proves(78)) func `a user's stop expires a running continued task with reason stopped-by-user`() throws {
        host.submitContinued()
        host.enter()
        let answer = host.stopTask(.album(1))
        #expect(answer == .expiring(try #require(host.lastPlan).number))
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
        host.complete(.album(1), as: .failure)
        #expect(host.lastEntry(of: .album(1))?.blame == .user)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(78)) func `a stopped continued task that stays open ends as expired, and its process is killed`() {
        host.submitContinued()
        host.enter()
        host.stopTask(.album(1))
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .album(1)) == [.expired] && host.killed.count == 1)
    }

    @Test(.proves(78)) func `a user's stop of a continued task leaves the other tasks of its launch running`() {
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        host.stopTask(.album(1))
        host.complete(.album(1), as: .failure, in: plan)
        host.advance(by: .seconds(20))
        #expect(host.running == [.clean] && host.killed.isEmpty)
    }

    @Test(.proves(78)) func `a user's stop cancels a waiting continued task with a journal entry`() {
        host.submitContinued(.album(1))
        host.submitContinued(.album(2))
        #expect(host.stopTask(.album(2)) == .cancelled(1))
        #expect(host.pending.isEmpty && host.entries(.cancelled).map(\.label) == ["com.example.app.export.album2"])
        host.runToTheEnd()
        #expect(host.plans.count == 1)
    }

    @Test(.proves(78))
    func `a user's stop cancels a continued task whose runner is not ready and dismisses the runner`() {
        host.runners = .held
        host.submitContinued()
        #expect(host.stopTask(.album(1)) == .cancelled(1))
        host.bringRunners()
        #expect(host.plans.isEmpty && host.dismissed.count == 1)
    }

    @Test(.proves(78)) func `a user's stop inside entry expires the continued task after entry returns`() throws {
        host.submitContinued()
        let number = try #require(host.lastPlan).number
        #expect(host.stopTask(.album(1)) == .expiring(number))
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
    }

    @Test(.proves(78)) func `a user's stop of a pending processing task or of an identifier without a request fails`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.stopTask(.clean)?.failureMessage?.contains("no task with identifier") == true)
        #expect(host.pending == [.clean])
        #expect(host.stopTask(.album(5))?.failureMessage != nil)
    }

    @Test(.proves(78))
    func `a user's stop during the commit of a delivery is answered after that commit and expires the delivered task`()
    {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        #expect(host.stopTask(.album(1)) == nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .expiring(plan?.number ?? LaunchNumber(rawValue: 0)))
        #expect(host.deliveries == [.album(1)] && host.expirations.map(\.tasks) == [[.album(1)]])
    }

    @Test(.proves(78))
    func `a user's stop during the commit of a launch expires the continued task after entry returns`() {
        host.commits = .held
        host.submitContinued()
        host.writeNextCommit()
        #expect(host.stopTask(.album(1)) == nil)
        host.writeHeldCommits()
        host.enter()
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
    }

    @Test(.proves(78), arguments: [true, false])
    func `a cancellation during the commit of a user's stop is answered after that commit, written or failed`(
        _ succeeds: Bool
    ) {
        host.processesObey = false
        host.submitContinued()
        host.enter()
        host.commits = .held
        host.stopTask(.album(1))
        let stop = ReplyToken(rawValue: host.lastReply)
        // The first commit is the journal entry of the call.
        host.writeNextCommit()
        #expect(host.cancel(.album(1)) == nil && host.heldCommits.count == 1)
        if succeeds { host.writeNextCommit() } else { host.failNextCommit() }
        #expect(host.answers[stop]?.isNotRecorded == !succeeds)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(0))
    }

    @Test(.proves(78)) func `a continued task stopped in an entry that fails is not requeued`() {
        host.submitContinued()
        host.stopTask(.album(1))
        host.enter(status: -1)
        #expect(host.outcomes(of: .album(1)) == [.entryFailed] && host.pending.isEmpty)
        #expect(host.lastEntry(of: .album(1))?.blame == .plugin)
    }
}

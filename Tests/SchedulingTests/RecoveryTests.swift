// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A host that comes back goes on where the last one was")
struct RecoveryTests {
    let host = SchedulerDriver(.app())

    @Test(.proves(38)) func `pending requests survive the host, with all that was asked`() throws {
        host.submit(.clean, after: .hours(1), needsPower: true)
        let before = try #require(host.request(.clean))
        host.restart()
        #expect(host.scheduler.pendingRequests == [before])
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(38)) func `pending requests survive a reboot`() {
        host.submit(.clean, after: .hours(1))
        host.restart(after: .minutes(30), rebooting: true)
        host.advance(by: .minutes(30) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(38)) func `what became due while the host was down runs when it is back`() {
        host.submit(.clean, after: .hours(1))
        host.restart(after: .hours(2))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C3")) func `what ran when the host went down returns, uncharged and undelayed, and says so`() throws
    {
        host.submit(.clean)
        host.enter()
        host.restart(rebooting: true)
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.launchOutcomes == [.lost])
        #expect(host.lastEntry(of: .clean)?.blame == .machine)
        #expect(host.batches == [[.clean], [.clean]])
        let again = try #require(host.lastPlan?.tasks.first?.work)
        #expect(again.retry == Retry(wasInterrupted: true, hostLosses: 1))
        #expect(host.lastPlan?.cause == .relaunch)
    }

    @Test(.proves("C3")) func `a task whose outcome is on disk does not return`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.complete(.clean)
        host.restart()
        #expect(host.batches == [[.clean, .vacuum], [.vacuum]])
    }

    @Test(.proves("C3")) func `a task cancelled while it ran does not return after a restart`() {
        host.submit(.clean)
        host.enter()
        host.cancel(.clean)
        host.restart()
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.pending.isEmpty && host.batches == [[.clean]])
    }

    @Test(.proves("C3"))
    func `a newer one is not cancelled before the end of what the last host left running is written`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        host.restart()
        #expect(host.cancel(.clean) == nil)
        // Nothing of it was on disk: the one that is left running is still known to have a successor.
        host.commits = .written
        host.restart()
        #expect(host.pending == [.clean] && host.cancel(.clean) == .cancelled(1))
        host.restart()
        #expect(host.pending.isEmpty && host.running.isEmpty)
    }

    @Test(.proves("C3")) func `of two that the last host left running under one identifier the newer one returns`()
        throws
    {
        let host = SchedulerDriver(.studio())
        host.submitContinued(.album(1))
        let newer = try #require(host.submitContinued(.album(1))?.submission)
        #expect(host.ledger.runningLaunches.count == 2)
        host.runners = .unavailable
        host.restart()
        #expect(host.ledger.requests.map(\.number) == [newer])
    }

    @Test(.proves("C3")) func `a newer submission wins over what the last host left running, and the journal says so`()
        throws
    {
        host.submit(.clean)
        host.enter()
        let newer = try #require(host.submit(.clean, after: .hours(1))?.submission)
        host.restart()
        #expect(host.scheduler.pendingRequests.map(\.number) == [newer])
        #expect(host.entries(.superseded).last?.label == TaskIdentifier.clean.text)
        #expect(host.entries(.superseded).map(\.successor) == [newer])
    }

    @Test(.proves("C3")) func `charges and delays outlive the host, the delay on the wall clock`() throws {
        host.submit(.clean)
        host.enter()
        host.crash()
        host.restart(after: .seconds(4), rebooting: true)
        #expect(try #require(host.request(.clean)).retry.attempts == 1)
        host.advance(by: .seconds(6) - .nanoseconds(1))
        #expect(host.plans.count == 1)
        host.advance(by: .nanoseconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C3")) func `the delay of an event outlives the host`() {
        host.install(.app(version: "2.0"))
        host.enter()
        host.crash()
        #expect(host.pendingEvents == [.started])
        host.restart()
        host.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(host.plans.count == 1)
        host.advance(by: .nanoseconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C3")) func `tasks that are to run alone do so after a restart`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.crash()
        host.restart()
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean, .vacuum], [.clean], [.vacuum]])
    }

    @Test(.proves("C3")) func `a recovery that cannot be recorded is tried again before anything runs`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        host.restart()
        #expect(host.plans.count == 1)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean], [.clean]])
    }

    @Test(.proves("C17")) func `submission and launch numbers go on rising`() throws {
        let first = try #require(host.submit(.clean)?.submission)
        let launch = try #require(host.lastPlan?.number)
        host.runToTheEnd()
        host.restart()
        host.finishStarting()
        #expect(try #require(host.submit(.vacuum)?.submission) > first)
        host.advance(by: .seconds(1))
        #expect(try #require(host.lastPlan?.number) > launch)
    }

    @Test(.proves("C3")) func `commits that never reached the disk never happened`() {
        host.commits = .held
        host.submit(.clean)
        host.commits = .written
        host.restart()
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C10")) func `spacing does not outlive a boot, for its clock does not`() {
        host.submit(.clean)
        host.submit(.vacuum)
        host.runToTheEnd()
        host.restart(rebooting: true)
        #expect(host.batches.last == [.vacuum])
    }
}

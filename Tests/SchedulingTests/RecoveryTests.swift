// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A restarted host continues from the ledger of the previous one")
struct RecoveryTests {
    let host = SchedulerDriver(.app())

    @Test(.proves(38)) func `a pending request survives a restart unchanged`() throws {
        host.submit(.clean, after: .hours(1), needsPower: true)
        let before = try #require(host.request(.clean))
        host.restart()
        #expect(host.scheduler.pendingRequests == [before])
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(38)) func `a pending request survives a reboot and starts at its earliest begin`() {
        host.submit(.clean, after: .hours(1))
        host.restart(after: .minutes(30), rebooting: true)
        host.advance(by: .minutes(30) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(38)) func `a request that became due while the host was down is launched after the restart`() {
        host.submit(.clean, after: .hours(1))
        host.restart(after: .hours(2))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C3"))
    func `a task that ran at a reboot is requeued without charge and delay, and blamed on the machine`() throws {
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

    @Test(.proves("C3")) func `a task whose completion is on disk is not requeued after a restart`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.complete(.clean)
        host.restart()
        #expect(host.batches == [[.clean, .vacuum], [.vacuum]])
    }

    @Test(.proves("C3")) func `a task cancelled while it ran is not requeued after a restart`() {
        host.submit(.clean)
        host.enter()
        host.cancel(.clean)
        host.restart()
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.pending.isEmpty && host.batches == [[.clean]])
    }

    @Test(.proves("C3"))
    func `a cancellation after a restart waits for the commit that ends the task left running by the previous host`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        host.submit(.clean, after: .hours(1))
        host.commits = .held
        host.restart()
        #expect(host.heldCommits.count == 1)
        #expect(host.cancel(.clean) == nil && host.heldCommits.count == 1)
        // The first restart committed no change, so that the ledger still has the older running task and its successor.
        host.commits = .written
        host.restart()
        #expect(host.pending == [.clean] && host.cancel(.clean) == .cancelled(1))
        host.restart()
        #expect(host.pending.isEmpty && host.running.isEmpty)
    }

    @Test(.proves("C3"))
    func `the newer of two tasks left running under one identifier is requeued after a restart`() throws {
        let host = SchedulerDriver(.studio())
        host.submitContinued(.album(1))
        let newer = try #require(host.submitContinued(.album(1))?.submission)
        #expect(host.ledger.runningLaunches.count == 2)
        host.runners = .unavailable
        host.restart()
        #expect(host.ledger.requests.map(\.number) == [newer])
    }

    @Test(.proves("C3"))
    func `a newer request supersedes the task left running by the previous host, with a journal entry`() throws {
        host.submit(.clean)
        host.enter()
        let newer = try #require(host.submit(.clean, after: .hours(1))?.submission)
        host.restart()
        #expect(host.scheduler.pendingRequests.map(\.number) == [newer])
        #expect(host.entries(.superseded).last?.label == TaskIdentifier.clean.text)
        #expect(host.entries(.superseded).map(\.successor) == [newer])
    }

    @Test(.proves("C3")) func `the attempts and the retry delay of a request survive a reboot`() throws {
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

    @Test(.proves("C3")) func `the retry delay of an event survives a restart`() {
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

    @Test(.proves("C3")) func `tasks of a crashed launch run alone, also after a host restart`() {
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

    @Test(.proves("C3")) func `a recovery whose commit fails is retried before any task runs`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        host.restart()
        #expect(host.plans.count == 1)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean], [.clean]])
    }

    @Test(.proves("C17")) func `submission and launch numbers continue to rise after a restart`() throws {
        let first = try #require(host.submit(.clean)?.submission)
        let launch = try #require(host.lastPlan?.number)
        host.runToTheEnd()
        host.restart()
        host.finishStarting()
        #expect(try #require(host.submit(.vacuum)?.submission) > first)
        host.advance(by: .seconds(1))
        #expect(try #require(host.lastPlan?.number) > launch)
    }

    @Test(.proves("C3")) func `a submission that was never written to disk is gone after a restart`() {
        host.commits = .held
        host.submit(.clean)
        host.commits = .written
        host.restart()
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C10")) func `the spacing of a plugin ends with a reboot`() {
        host.submit(.clean)
        host.submit(.vacuum)
        host.runToTheEnd()
        host.restart(rebooting: true)
        #expect(host.batches.last == [.vacuum])
    }
}

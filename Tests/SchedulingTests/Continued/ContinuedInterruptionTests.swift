// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued task is requeued after an interruption")
struct ContinuedInterruptionTests {
    let host = SchedulerDriver(.studio())

    @Test(.proves("C3")) func `a crash charges a continued task that runs alone and relaunches it in its own launch`() {
        host.submitContinued()
        host.enter()
        host.crash()
        #expect(host.outcomes(of: .album(1)) == [.crashed] && host.request(.album(1))?.retry.attempts == 1)
        host.advance(by: .seconds(10))
        #expect(host.lastPlan?.identifiers == [.album(1)] && host.plans.count == 2)
        #expect(host.lastPlan?.cause == .relaunch)
    }

    @Test(.proves("C7")) func `a requeued continued task does not wait for the commit that ends its previous launch`() {
        host.submitContinued()
        host.enter()
        host.commits = .held
        host.crash()
        host.writeNextCommit()
        #expect(host.pending == [.album(1)] && !host.heldCommits.isEmpty)
        #expect(host.reasons(.album(1)).map(\.code) == ["retry-delay"])
        host.writeHeldCommits()
        host.advance(by: .seconds(10))
        #expect(host.plans.count == 2 && host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves("C3"))
    func `a crash on the thread of another task does not charge the continued task of the launch`() {
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        host.crash(plan, on: .clean)
        #expect(host.outcomes(of: .album(1)) == [.interrupted] && host.outcomes(of: .clean) == [.crashed])
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves("C3")) func `a continued task is abandoned after three crashes`() {
        host.submitContinued()
        for _ in 1...3 {
            host.enter()
            host.crash()
            host.advance(by: .minutes(1))
        }
        #expect(host.outcomes(of: .album(1)).last == .abandoned && host.pending.isEmpty)
    }

    @Test(.proves("C3"))
    func `a stopping host expires a continued task and relaunches it without a charge after the next start`() {
        host.submitContinued()
        host.enter()
        host.stop()
        #expect(host.expirations.map(\.reason) == [.hostShutdown])
        host.exit()
        #expect(host.hasStopped && host.outcomes(of: .album(1)) == [.interrupted])
        host.restart()
        #expect(host.lastPlan?.identifiers == [.album(1)] && host.lastPlan?.tasks.first?.work.retry.attempts == 0)
    }

    @Test(.proves("C3"))
    func `a continued task that ran in the launch of another task gets its own launch after a restart`() throws {
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        #expect(host.ledger.unfinished(of: try #require(plan).number).count == 2)
        host.restart()
        #expect(host.outcomes(of: .album(1)) == [.interrupted])
        host.finishStarting()
        host.advance(by: .seconds(2))
        #expect(Set(host.running) == [.album(1), .clean])
        #expect(host.plans.contains { $0.identifiers == [.album(1)] && $0.lane == .continued })
    }

    @Test(.proves("C3"))
    func `a launch that moved to the continued lane does not occupy the background lane after a restart`() {
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        host.submit(.vacuum)
        host.advance(by: .seconds(1))
        #expect(host.running.contains(.vacuum))
        host.restart()
        host.advance(by: .seconds(2))
        #expect(Set(host.running) == [.album(1), .clean, .vacuum])
    }

    // MARK: Commits of a delivery

    @Test(.proves("C8"))
    func `the delivery of a continued task to a running launch is retried after a delay if its commit fails`() {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.deliveries.isEmpty && host.pending == [.album(1)])
        #expect(host.reasons(.album(1)).map(\.code) == ["runner-unavailable"])
        host.advance(by: .seconds(1))
        #expect(host.deliveries == [.album(1)])
    }

    @Test(.proves("C8")) func `a launch stays open while the delivery of a continued task to it is being committed`() {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        host.complete(.clean, in: plan)
        #expect(host.finished.isEmpty)
        host.writeHeldCommits()
        #expect(host.deliveries == [.album(1)] && host.finished.isEmpty)
        host.complete(.album(1), in: plan)
        #expect(host.finished.count == 1)
    }

    @Test(.proves("C8"))
    func `a launch without open tasks ends when the commit of a continued task's delivery to it fails`() {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        host.complete(.clean, in: plan)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.finished.count == 1)
        host.advance(by: .seconds(1))
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves("C8"))
    func `after a failed delivery of a continued task, all tasks of its launch have different task IDs`() {
        let plan = host.openByUser()
        host.commits = .held
        for number in 1...2 { host.submitContinued(.album(number), from: plan) }
        for _ in 1...2 { host.writeNextCommit() }
        host.failNextCommit()
        host.submitContinued(.album(3), from: plan)
        host.writeHeldCommits()
        host.advance(by: .seconds(1))
        #expect(Set(host.deliveries) == [.album(1), .album(2), .album(3)])
        #expect(Set(host.tasks(of: plan?.number ?? LaunchNumber(rawValue: 0)).map(\.id)).count == 4)
    }

    @Test(.proves("C8"))
    func `if a process exits during the commit of a delivery, the continued task is interrupted after that commit`() {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        host.exit(plan, code: 1)
        #expect(host.launchOutcomes.isEmpty)
        host.writeHeldCommits()
        #expect(host.deliveries.isEmpty && host.launchOutcomes == [.exited])
        #expect(host.outcomes(of: .album(1)) == [.interrupted])
        host.advance(by: .minutes(1))
        #expect(host.running.contains(.album(1)))
    }

    @Test(.proves("C8"))
    func `a process that exits during the commit of a delivery leaves the request pending if that commit fails`() {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        host.exit(plan, code: 1)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.launchOutcomes == [.exited] && host.outcomes(of: .album(1)).isEmpty)
        host.advance(by: .minutes(1))
        #expect(host.running.contains(.album(1)))
    }

    @Test(.proves("C3"))
    func `lost conditions, expirations and stops after the end of a process do not change its tasks' outcomes`() {
        host.submit(.clean, after: .seconds(1), needsPower: true)
        host.requestRun(of: .clean)
        host.enter(registering: [.clean, .album(1)])
        let plan = host.lastPlan
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        host.exit(plan, code: 1)
        host.change(power: false)
        host.simulateExpiration(of: .clean)
        host.stop()
        host.writeHeldCommits()
        #expect(host.expirations.isEmpty && host.killed.isEmpty)
        #expect(host.outcomes(of: .clean) == [.interrupted] && host.pending == [.clean, .album(1)])
    }

    @Test(.proves("C3")) func `a continued task that crashes during the commit of its cancellation is not requeued`() {
        host.submitContinued()
        host.enter()
        host.commits = .held
        host.cancel(.album(1))
        host.crash()
        #expect(host.launchOutcomes.isEmpty)
        host.writeHeldCommits()
        #expect(host.outcomes(of: .album(1)) == [.crashed] && host.pending.isEmpty)
        host.advance(by: .minutes(1))
        #expect(host.plans.count == 1)
    }

    @Test(.proves("C3"))
    func `a host that stops during the commit of a delivery expires the delivered continued task too`() {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        host.stop()
        host.writeHeldCommits()
        #expect(host.expirations.map(\.tasks) == [[.clean], [.album(1)]])
        #expect(host.expirations.allSatisfy { $0.reason == .hostShutdown })
    }

    @Test(.proves("C3"))
    func `a continued task cancelled while it runs continues, and is not requeued after a crash`() {
        host.submitContinued()
        host.enter()
        host.cancel(.album(1))
        #expect(host.running == [.album(1)])
        host.crash()
        host.advance(by: .minutes(1))
        #expect(host.pending.isEmpty && host.plans.count == 1)
    }

    // MARK: Assertions

    @Test(.proves(83))
    func `an assertion in a launch without a deadline expires 30 seconds after the last completion`() {
        host.submitContinued()
        host.enter()
        host.beginAssertion()
        host.complete(.album(1))
        host.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(host.assertionExpirations.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.assertionExpirations.map(\.reason) == [.budget])
        host.advance(by: .seconds(5))
        #expect(host.launchOutcomes == [.overran])
    }

    @Test(.proves(83))
    func `if a continued task ends after its launch's deadline, an open assertion expires 30 seconds after that end`() {
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        host.complete(.clean, in: plan)
        host.beginAssertion(in: plan)
        for percent in 1...60 as ClosedRange<Int64> {
            host.progress(.album(1), percent, in: plan)
            host.advance(by: .seconds(20))
        }
        host.complete(.album(1), in: plan)
        host.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(host.assertionExpirations.isEmpty && host.killed.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.assertionExpirations.map(\.reason) == [.budget] && host.killed.isEmpty)
        host.endAssertion(in: plan)
        #expect(host.launchOutcomes == [.completed])
    }

    @Test(.proves(83))
    func `a continued task delivered after the last completion removes the deadline of an open assertion`() {
        host.submitContinued()
        let plan = host.lastPlan
        host.enter(registering: [.album(1), .album(2)])
        host.beginAssertion()
        host.complete(.album(1))
        host.advance(by: .seconds(20))
        host.submitContinued(.album(2), from: plan)
        #expect(host.deliveries == [.album(2)])
        host.advance(by: .seconds(20))
        #expect(host.assertionExpirations.isEmpty)
    }
}

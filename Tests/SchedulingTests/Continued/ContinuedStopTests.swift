// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A person can stop a continued task wherever it is")
struct ContinuedStopTests {
    let host = SchedulerDriver(.studio()) { $0.continuedLaunches = 1 }

    @Test(.proves(78)) func `a running one is told that a person stopped it`() throws {
        host.submitContinued()
        host.enter()
        let answer = host.stopTask(.album(1))
        #expect(answer == .expiring(try #require(host.lastPlan).number))
        #expect(host.expirations.map(\.reason) == [.stoppedByPerson])
        host.complete(.album(1), as: .failure)
        #expect(host.lastEntry(of: .album(1))?.blame == .person)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(78)) func `one that does not stop in the grace is ended`() {
        host.submitContinued()
        host.enter()
        host.stopTask(.album(1))
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .album(1)) == [.expired] && host.killed.count == 1)
    }

    @Test(.proves(78)) func `its neighbours in the launch go on`() {
        let plan = host.openByPerson()
        host.submitContinued(from: plan)
        host.stopTask(.album(1))
        host.complete(.album(1), as: .failure, in: plan)
        host.advance(by: .seconds(20))
        #expect(host.running == [.clean] && host.killed.isEmpty)
    }

    @Test(.proves(78)) func `one that waits is given up, and the journal says so`() {
        host.submitContinued(.album(1))
        host.submitContinued(.album(2))
        #expect(host.stopTask(.album(2)) == .cancelled(1))
        #expect(host.pending.isEmpty && host.entries(.cancelled).map(\.label) == ["com.example.app.export.album2"])
        host.runToTheEnd()
        #expect(host.plans.count == 1)
    }

    @Test(.proves(78)) func `one whose runner is being made ready is given up as well`() {
        host.runners = .held
        host.submitContinued()
        #expect(host.stopTask(.album(1)) == .cancelled(1))
        host.bringRunners()
        #expect(host.plans.isEmpty && host.dismissed.count == 1)
    }

    @Test(.proves(78)) func `one whose plugin is still in entry is told as soon as that has returned`() throws {
        host.submitContinued()
        let number = try #require(host.lastPlan).number
        #expect(host.stopTask(.album(1)) == .expiring(number))
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.stoppedByPerson])
    }

    @Test(.proves(78)) func `what is not running and not continued is not there to be stopped`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.stopTask(.clean)?.complaint?.contains("no task with identifier") == true)
        #expect(host.pending == [.clean])
        #expect(host.stopTask(.album(5))?.complaint != nil)
    }

    @Test(.proves(78)) func `a stop while the delivery is being written holds once that is known`() {
        let plan = host.openByPerson()
        host.commits = .held
        host.submitContinued(from: plan)
        host.writeNextCommit()
        #expect(host.stopTask(.album(1)) == nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .expiring(plan?.number ?? LaunchNumber(rawValue: 0)))
        #expect(host.deliveries == [.album(1)] && host.expirations.map(\.tasks) == [[.album(1)]])
    }

    @Test(.proves(78)) func `a stop while the launch is being written holds once that is known`() {
        host.commits = .held
        host.submitContinued()
        host.writeNextCommit()
        #expect(host.stopTask(.album(1)) == nil)
        host.writeHeldCommits()
        host.enter()
        #expect(host.expirations.map(\.reason) == [.stoppedByPerson])
    }

    @Test(.proves(78)) func `one stopped in an entry that fails does not return`() {
        host.submitContinued()
        host.stopTask(.album(1))
        host.enter(status: -1)
        #expect(host.outcomes(of: .album(1)) == [.entryFailed] && host.pending.isEmpty)
        #expect(host.lastEntry(of: .album(1))?.blame == .plugin)
    }
}

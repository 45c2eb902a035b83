// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A user can stop all tasks of one launch")
struct LaunchStopTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .mail(), .keyboard())
    private let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")

    @Test func `the stop of a launch expires each of its tasks with reason stopped-by-user, and no other launch`()
        throws
    {
        host.submit(.clean, after: .seconds(1))
        host.submit(.vacuum, after: .seconds(1))
        host.advance(by: .seconds(1))
        let plan = try #require(host.lastPlan)
        host.enter(plan)
        host.submit(.sweep, by: .plugin(.mail))
        host.enter()
        host.caller = user
        let tasks = ["com.example.app.clean", "com.example.app.vacuum"]
        #expect(host.stopLaunch(plan.number) == .stopping(plan.number, tasks: tasks))
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
        #expect(host.expirations.map(\.tasks) == [[.clean, .vacuum]])
        #expect(host.entries(.stopRequested).map(\.launch) == [plan.number, plan.number])
        #expect(host.entries(.stopRequested).map(\.user) == [user, user])
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .clean) == [.expired] && host.outcomes(of: .vacuum) == [.expired])
        #expect(host.running == [.sweep] && host.pending.isEmpty)
    }

    @Test func `a task of a stopped launch is not requeued after a loss of the host`() throws {
        host.submit(.clean)
        host.enter()
        let plan = try #require(host.lastPlan)
        #expect(host.stopLaunch(plan.number) == .stopping(plan.number, tasks: ["com.example.app.clean"]))
        host.restart(after: .seconds(1))
        #expect(host.pending.isEmpty && host.outcomes(of: .clean) == [.interrupted])
    }

    @Test func `the stop of a launch inside entry expires its tasks after entry returns`() throws {
        host.submit(.clean)
        let plan = try #require(host.lastPlan)
        #expect(host.stopLaunch(plan.number) == .stopping(plan.number, tasks: ["com.example.app.clean"]))
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
    }

    @Test func `the stop of a launch that is being committed is answered after that commit`() throws {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        host.bringRunners()
        let number = try #require(host.scheduler.launches.numbers.last)
        #expect(host.stopLaunch(number) == nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .stopping(number, tasks: ["com.example.app.clean"]))
        host.enter()
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
    }

    @Test func `the stop of an event launch expires the event`() throws {
        host.trigger(.keyboard)
        let plan = try #require(host.lastPlan)
        host.enter(plan)
        #expect(host.stopLaunch(plan.number) == .stopping(plan.number, tasks: ["trigger"]))
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
        host.advance(by: .seconds(5))
        #expect(host.pendingEvents.isEmpty)
    }

    @Test func `the stop of a launch whose tasks have ended expires its assertions`() throws {
        host.submit(.clean)
        host.enter()
        let plan = try #require(host.lastPlan)
        host.beginAssertion(1, named: "upload", in: plan)
        host.complete(.clean)
        #expect(host.stopLaunch(plan.number) == .stopping(plan.number, tasks: []))
        #expect(host.assertionExpirations.map(\.reason) == [.stoppedByUser])
    }

    @Test func `a launch that is unknown, being prepared or ended cannot be stopped`() throws {
        let unknown = LaunchNumber(rawValue: 4_711)
        #expect(host.stopLaunch(unknown)?.failureMessage?.contains("launch 4711 is not running") == true)
        host.runners = .held
        host.submit(.clean)
        let number = try #require(host.scheduler.launches.numbers.last)
        #expect(host.stopLaunch(number)?.failureMessage?.contains("is being prepared") == true)
        #expect(host.scheduler.isPreparing(number) && !host.scheduler.isPreparing(unknown))
        host.bringRunners()
        #expect(!host.scheduler.isPreparing(number))
        host.runToTheEnd()
        #expect(host.stopLaunch(number)?.failureMessage?.contains("is not running") == true)
    }

    @Test func `a stop of a launch whose commit fails is answered as not recorded, and the tasks still expire`() throws
    {
        host.submit(.clean)
        host.enter()
        let plan = try #require(host.lastPlan)
        host.commits = .failing
        #expect(host.stopLaunch(plan.number)?.isNotRecorded == true)
        #expect(host.expirations.map(\.reason) == [.stoppedByUser])
    }
}

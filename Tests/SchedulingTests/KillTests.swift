// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A launch that exceeds its grace period is killed, and its later messages are ignored")
struct KillTests {
    let host = SchedulerDriver(.app())

    @Test(.proves(59))
    func `a launch that exceeds its grace period is killed once, even if its process does not end`() {
        host.processesObey = false
        host.submit(.feed, as: .refresh)
        host.enter()
        host.advance(by: .minutes(5))
        #expect(host.killed.count == 1)
    }

    @Test(.proves(59)) func `a task still counts as expired when the host's timer fires minutes after the deadline`() {
        host.processesObey = false
        host.submit(.feed, as: .refresh)
        host.enter()
        host.clock.advance(by: .minutes(5))
        host.send(.timerFired)
        #expect(host.killed.count == 1)
        host.end(nil, .signaled(9))
        #expect(host.outcomes(of: .feed) == [.expired])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(59)) func `a completion after the kill does not change the outcome`() {
        host.processesObey = false
        host.submit(.feed, as: .refresh)
        host.enter()
        host.setExpirationHandler(for: .feed)
        host.advance(by: .seconds(35))
        host.complete(.feed)
        #expect(host.outcomes(of: .feed).isEmpty)
        host.end(nil, .signaled(9))
        #expect(host.outcomes(of: .feed) == [.overran])
    }

    @Test(.proves(59))
    func `a task ends as expired if the host's launch thread kills its launch at the kill time`() throws {
        host.processesObey = false
        host.submit(.feed, as: .refresh)
        host.enter()
        let plan = try #require(host.lastPlan)
        let time = try #require(host.killTimes[plan.number])
        host.clock.advance(by: time - host.clock.now.monotonic)
        host.send(.killTimePassed(plan.number))
        host.end(plan, .signaled(9))
        #expect(host.outcomes(of: .feed) == [.expired] && host.pending.isEmpty)
    }

    @Test(.proves(59))
    func `a kill by the host's launch thread before the deadline requeues the task without a charge`() throws {
        host.processesObey = false
        host.submit(.clean)
        host.enter()
        let plan = try #require(host.lastPlan)
        host.send(.killTimePassed(plan.number))
        host.end(plan, .signaled(9))
        let retry = try #require(host.request(.clean)).retry
        #expect(host.launchOutcomes == [.lost] && retry.attempts == 0 && retry.wasInterrupted)
    }

    @Test(.proves("C3")) func `a launch whose entry does not return is killed, and its task is charged`() throws {
        host.submit(.feed, as: .refresh)
        host.advance(by: .seconds(35))
        #expect(host.killed.count == 1)
        #expect(host.outcomes(of: .feed) == [.entryFailed])
        #expect(host.launchOutcomes == [.entryFailed])
        #expect(try #require(host.request(.feed)).retry.attempts == 1)
    }

    @Test(.proves("C3")) func `a task completed before the kill keeps its outcome`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.complete(.clean)
        host.advance(by: .minutes(11))
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.outcomes(of: .vacuum) == [.expired])
    }

    @Test(.proves(59)) func `a new request of a killed launch's plugin waits until the process is gone`() {
        host.processesObey = false
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(11))
        host.submit(.vacuum)
        #expect(host.reasons(.vacuum).map(\.code) == ["lane-busy"])
        host.end(nil, .signaled(9))
        host.advance(by: .seconds(30))
        #expect(host.batches == [[.clean], [.vacuum]])
    }

    @Test(.proves("C3")) func `a failed entry kills the process and charges both tasks of the launch`() throws {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter(status: -7)
        #expect(host.killed.count == 1)
        #expect(host.launchOutcomes == [.entryFailed])
        #expect(host.lastLaunchEntry?.message.contains("-7") == true)
        for identifier: TaskIdentifier in [.clean, .vacuum] {
            #expect(host.outcomes(of: identifier) == [.entryFailed])
            let retry = try #require(host.request(identifier)).retry
            #expect(retry.attempts == 1 && !retry.runsAlone)
            #expect(retry.notBefore == host.clock.now.wall + .seconds(10))
        }
    }

    @Test(.proves("C3")) func `a failed load of the library charges the task like a failed entry`() throws {
        host.submit(.clean)
        host.send(.loadFailed(try #require(host.lastPlan).number, message: "libColorFeed.so is gone"))
        #expect(host.outcomes(of: .clean) == [.loadFailed])
        #expect(host.launchOutcomes == [.loadFailed])
        #expect(try #require(host.request(.clean)).retry.attempts == 1)
    }

    @Test(.proves(53))
    func `a kill by the host's launch thread after the last completion leaves the launch completed`() throws {
        host.processesObey = false
        host.submit(.clean)
        host.enter()
        host.complete(.clean)
        let launch = try #require(host.lastPlan).number
        host.send(.killTimePassed(launch))
        #expect(host.killed == [launch])
        host.end(nil, .signaled(9))
        #expect(host.launchOutcomes == [.completed] && host.lastLaunchEntry?.blame == .nobody)
        #expect(host.lastLaunchEntry?.message.hasPrefix("every task had ended, but the process did not exit") == true)
    }

    @Test(.proves(59)) func `a kill by the host's launch thread before the deadline is blamed on the host`() throws {
        host.processesObey = false
        host.submit(.clean)
        host.enter()
        host.send(.killTimePassed(try #require(host.lastPlan).number))
        host.end(nil, .signaled(9))
        #expect(host.launchOutcomes == [.lost] && host.lastLaunchEntry?.blame == .host)
        #expect(host.outcomes(of: .clean) == [.interrupted])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The host is woken at the earliest instant that matters, and for nothing else")
struct WakeTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test(.proves("C10")) func `a runner that repeats itself sets one alarm`() throws {
        host.submit(.feed, as: .refresh)
        host.enter()
        let launch = try #require(host.lastPlan?.number)
        host.advance(by: .seconds(30))
        for _ in 0..<1_000 { host.send(.runnerExpired(launch, [], .budget)) }
        let before = host.wakeCount
        host.advance(by: .seconds(10))
        #expect(host.wakeCount < before + 10)
    }

    @Test(.proves("C10")) func `a host with nothing to wait for is not woken`() {
        #expect(host.timeToWake == nil)
        host.submit(.clean)
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `the wake is the earliest begin there is`() {
        host.submit(.clean, after: .hours(3))
        host.submit(.vacuum, after: .hours(1))
        host.submit(.index, after: .hours(2))
        #expect(host.timeToWake == .hours(1))
    }

    @Test(.proves("C10")) func `a begin is on the wall clock, a deadline on the monotonic one`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.wake.wall == host.clock.now.wall + .hours(1) && host.wake.monotonic == nil)
        host.submit(.feed, as: .refresh)
        #expect(host.wake.monotonic == host.clock.now.monotonic + .seconds(30))
    }

    @Test(.proves("C10")) func `what is cancelled wakes nobody`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.vacuum, after: .hours(2))
        host.cancel(.clean)
        #expect(host.timeToWake == .hours(2))
        host.cancel(.vacuum)
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `what is replaced wakes nobody`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.clean, after: .hours(2))
        #expect(host.timeToWake == .hours(2))
    }

    @Test(.proves("C10")) func `the deadline of a launch that is over wakes nobody`() {
        host.submit(.clean)
        host.enter()
        #expect(host.timeToWake == .minutes(10))
        host.complete(.clean)
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `of a running launch the deadline comes first, then the kill`() {
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(10))
        #expect(host.timeToWake == .seconds(5))
    }

    @Test(.proves("C10")) func `one that stopped in time does not keep the kill of its expiration`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.simulateExpiration(of: .clean)
        #expect(host.timeToWake == .seconds(5))
        host.complete(.clean)
        #expect(host.timeToWake == .minutes(10))
    }

    @Test(.proves("C10")) func `a plugin that rests wakes the host only if something waits for it`() {
        host.submit(.clean)
        host.runToTheEnd()
        #expect(host.timeToWake == nil)
        host.submit(.vacuum)
        #expect(host.timeToWake == .seconds(1))
        host.cancel(.vacuum)
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `a request that waits for conditions wakes nobody`() {
        host.change(power: false)
        host.submit(.clean, after: .minutes(1), needsPower: true)
        host.advance(by: .hours(1))
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `a removed plugin that came back wakes nobody`() {
        host.remove(.app)
        #expect(host.timeToWake == .days(30))
        host.install(.app())
        host.finishStarting()
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `the same wake is not asked for twice`() {
        host.submit(.clean, after: .hours(1))
        let before = host.wakeCount
        host.submit(.vacuum, after: .hours(2))
        host.change(network: true)
        host.cancel(.vacuum)
        #expect(host.wakeCount == before)
    }

    @Test(.proves("C10")) func `a day of an idle host with a far request is one wake`() {
        host.submit(.clean, after: .days(1))
        host.forgetThePast()
        host.advance(by: .days(1) - .nanoseconds(1))
        #expect(host.actions.isEmpty)
    }

    @Test(.proves("C10")) func `a timer that fires for nothing does nothing`() {
        host.submit(.clean, after: .hours(1))
        host.forgetThePast()
        for _ in 1...10 { host.send(.timerFired) }
        #expect(host.actions.isEmpty)
    }
}

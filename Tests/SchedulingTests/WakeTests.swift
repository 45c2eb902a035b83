// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The host requests a wake at the earliest relevant time, and none without timed work")
struct WakeTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test(.proves("C10"))
    func `a thousand expiration reports of a runner cause fewer than ten wake requests`() throws {
        host.submit(.feed, as: .refresh)
        host.enter()
        let launch = try #require(host.lastPlan?.number)
        host.advance(by: .seconds(30))
        let before = host.wakeCount
        for _ in 0..<1_000 { host.send(.runnerExpired(launch, [], .budget)) }
        host.advance(by: .seconds(10))
        #expect(host.wakeCount < before + 10)
    }

    @Test(.proves("C10")) func `a host without timed work requests no wake`() {
        #expect(host.timeToWake == nil)
        host.submit(.clean)
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `the requested wake is the earliest of all earliest begins`() {
        host.submit(.clean, after: .hours(3))
        host.submit(.vacuum, after: .hours(1))
        host.submit(.index, after: .hours(2))
        #expect(host.timeToWake == .hours(1))
    }

    @Test(.proves("C10"))
    func `the wake for an earliest begin uses the wall clock, the wake for a deadline the monotonic clock`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.wake.wall == host.clock.now.wall + .hours(1) && host.wake.monotonic == nil)
        host.submit(.feed, as: .refresh)
        #expect(host.wake.monotonic == host.clock.now.monotonic + .seconds(30))
    }

    @Test(.proves("C10")) func `a cancelled request causes no wake`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.vacuum, after: .hours(2))
        host.cancel(.clean)
        #expect(host.timeToWake == .hours(2))
        host.cancel(.vacuum)
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `a replaced request causes no wake`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.clean, after: .hours(2))
        #expect(host.timeToWake == .hours(2))
    }

    @Test(.proves("C10")) func `the deadline of an ended launch causes no wake`() {
        host.submit(.clean)
        host.enter()
        #expect(host.timeToWake == .minutes(10))
        host.complete(.clean)
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `the next wake after the deadline of a launch is at its kill time`() {
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(10))
        #expect(host.timeToWake == .seconds(5))
    }

    @Test(.proves("C10")) func `a task that completes after its expiration removes the wake at its kill time`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.simulateExpiration(of: .clean)
        #expect(host.timeToWake == .seconds(5))
        host.complete(.clean)
        #expect(host.timeToWake == .minutes(10))
    }

    @Test(.proves("C10")) func `the spacing of a plugin causes a wake only while a request waits for the spacing`() {
        host.submit(.clean)
        host.runToTheEnd()
        #expect(host.timeToWake == nil)
        host.submit(.vacuum)
        #expect(host.timeToWake == .seconds(1))
        host.cancel(.vacuum)
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `a request that waits for a condition causes no wake`() {
        host.change(power: false)
        host.submit(.clean, after: .minutes(1), needsPower: true)
        host.advance(by: .hours(1))
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10"))
    func `the end of the retention of requests causes no wake after their plugin is installed again`() {
        host.remove(.app)
        #expect(host.timeToWake == .days(30))
        host.install(.app())
        host.finishStarting()
        #expect(host.timeToWake == nil)
    }

    @Test(.proves("C10")) func `an unchanged wake time is not requested again`() {
        host.submit(.clean, after: .hours(1))
        let before = host.wakeCount
        host.submit(.vacuum, after: .hours(2))
        host.change(network: true)
        host.cancel(.vacuum)
        #expect(host.wakeCount == before)
    }

    @Test(.proves("C10")) func `a host whose only request is due in a day performs no action before then`() {
        host.submit(.clean, after: .days(1))
        host.forgetThePast()
        host.advance(by: .days(1) - .nanoseconds(1))
        #expect(host.actions.isEmpty)
    }

    @Test(.proves("C10")) func `a timer that fires early causes no action`() {
        host.submit(.clean, after: .hours(1))
        host.forgetThePast()
        for _ in 1...10 { host.send(.timerFired) }
        #expect(host.actions.isEmpty)
    }
}

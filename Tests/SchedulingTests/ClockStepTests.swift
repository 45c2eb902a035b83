// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@Suite("A wall clock that is set starts nothing early and forgets nothing")
struct ClockStepTests {
    let host = SchedulerDriver(.app())

    @Test func `C10 set forward, what is due by the new time begins`() {
        host.submit(.clean, after: .hours(5))
        host.stepWallClock(by: .hours(5))
        #expect(host.batches == [[.clean]])
    }

    @Test func `C10 set back, what is not due by the new time waits`() {
        host.submit(.clean, after: .hours(1))
        host.stepWallClock(by: .hours(-3))
        host.advance(by: .hours(4) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test func `C10 what was due already waits again when the clock is set back before its begin`() {
        host.change(power: false)
        host.submit(.clean, after: .hours(1), needsPower: true)
        host.advance(by: .hours(1))
        host.stepWallClock(by: .hours(-2))
        host.change(power: true)
        #expect(host.plans.isEmpty)
        #expect(host.reasons(.clean).map(\.code) == ["earliest-begin"])
        host.advance(by: .hours(2))
        #expect(host.batches == [[.clean]])
    }

    @Test func `C10 a batch is judged by the time at which it closes`() {
        host.runners = .held
        host.submit(.clean, after: .hours(1))
        host.advance(by: .hours(1))
        host.stepWallClock(by: .minutes(-1))
        host.bringRunners()
        #expect(host.plans.isEmpty && host.dismissed.count == 1)
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.clean]])
    }

    @Test func `C10 budgets know nothing of the wall clock`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.stepWallClock(by: .days(100))
        #expect(host.expirations.isEmpty)
        host.stepWallClock(by: .days(-200))
        host.advance(by: .seconds(30))
        #expect(host.expirations.count == 1)
    }

    @Test func `C10 a retry delay is the wall clock's`() {
        host.submit(.clean)
        host.enter()
        host.crash()
        host.stepWallClock(by: .seconds(10))
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2)
    }

    @Test func `C10 an event's delay is looked at again when the clock was set back after it was over`() {
        let host = SchedulerDriver(.app(), .mail()) { $0.eventLaunches = 1 }
        host.install(.app(version: "2.0"))
        host.enter()
        host.crash()
        host.install(.main(.mail, version: "2.0", permitted: PluginEntry.mail().permitted))
        host.advance(by: .seconds(10))
        #expect(host.plans.count == 2)
        host.stepWallClock(by: .seconds(-5))
        host.runToTheEnd()
        #expect(host.plans.count == 2)
        host.advance(by: .seconds(5))
        #expect(host.plans.count == 3)
    }

    @Test func `C3 a delay that a clock far ahead reckoned keeps nobody waiting`() {
        host.submit(.clean)
        host.enter()
        host.crash()
        host.stepWallClock(by: .days(-400))
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2 && host.running == [.clean])
    }

    @Test func `C3 a delay that a clock ahead reckoned does not count again as its end comes near`() {
        let host = SchedulerDriver(.studio())
        host.submitContinued(.album(1))
        host.enter()
        host.crash()
        host.change(busy: true)
        host.stepWallClock(by: .seconds(-30))
        host.advance(by: .seconds(31))
        host.submitContinued(.album(2))
        host.change(busy: false)
        #expect(host.running.contains(.album(2)))
    }

    @Test func `C10 a batch leaves out a member that rests again when the clock was set back before it closed`() {
        host.submit(.vacuum, after: .seconds(1))
        host.submit(.clean)
        host.enter()
        host.advance(by: .seconds(1))
        host.runners = .held
        host.crash()
        host.advance(by: .seconds(10))
        host.clock.stepWall(by: .seconds(-5))
        host.bringRunners()
        #expect(host.batches.last == [.vacuum])
    }

    @Test func `C3 nor does it after a restart, nor an event`() {
        host.install(.app(version: "2.0"))
        host.crash()
        host.clock.stepWall(by: .days(-400))
        host.restart()
        #expect(host.plans.count == 2 && host.pendingEvents.isEmpty)
    }

    @Test func `C10 a machine that slept past a begin launches when it wakes`() {
        host.submit(.clean, after: .hours(8))
        host.advance(by: .hours(1))
        host.stepWallClock(by: .hours(7))
        #expect(host.batches == [[.clean]])
    }

    @Test func `C10 set back and forth a hundred times, a request begins once`() {
        host.submit(.clean, after: .hours(1))
        for _ in 1...100 {
            host.stepWallClock(by: .minutes(-30))
            host.advance(by: .minutes(20))
        }
        #expect(host.plans.isEmpty)
        host.stepWallClock(by: .hours(24))
        host.runToTheEnd()
        host.advance(by: .days(2))
        #expect(host.batches == [[.clean]])
    }
}

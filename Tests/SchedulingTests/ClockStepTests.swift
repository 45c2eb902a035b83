// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A step of the wall clock starts nothing early and loses nothing")
struct ClockStepTests {
    let host = SchedulerDriver(.app())

    @Test(.proves("C10")) func `a request that is due by the new time is launched when the clock steps forward`() {
        host.submit(.clean, after: .hours(5))
        host.stepWallClock(by: .hours(5))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C10")) func `a request that is not due by the new time waits when the clock steps back`() {
        host.submit(.clean, after: .hours(1))
        host.stepWallClock(by: .hours(-3))
        host.advance(by: .hours(4) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C10"))
    func `a due request waits for its earliest begin again when the clock steps back before it`() {
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

    @Test(.proves("C10"))
    func `a request is left out of the batch if the clock steps back before its begin while the runner starts`() {
        host.runners = .held
        host.submit(.clean, after: .hours(1))
        host.advance(by: .hours(1))
        host.stepWallClock(by: .minutes(-1))
        host.bringRunners()
        #expect(host.plans.isEmpty && host.dismissed.count == 1)
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C10")) func `a step of the wall clock does not change a launch's budget`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.stepWallClock(by: .days(100))
        #expect(host.expirations.isEmpty)
        host.stepWallClock(by: .days(-200))
        host.advance(by: .seconds(30))
        #expect(host.expirations.count == 1)
    }

    @Test(.proves("C10")) func `a retry delay ends early when the wall clock steps forward past its end`() {
        host.submit(.clean)
        host.enter()
        host.crash()
        host.stepWallClock(by: .seconds(10))
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C10"))
    func `an event whose retry delay has ended waits for it again when the clock steps back before that end`() {
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

    @Test(.proves("C3"))
    func `a retry delay set while the clock was far ahead is ignored after the clock steps back`() {
        host.submit(.clean)
        host.enter()
        host.crash()
        host.stepWallClock(by: .days(-400))
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2 && host.running == [.clean])
    }

    @Test(.proves("C3"))
    func `a retry delay that a step back of the clock dropped does not apply again as its end approaches`() {
        let host = SchedulerDriver(.studio())
        host.submitContinued(.album(1))
        host.enter()
        host.crash()
        host.change(busy: true)
        host.stepWallClock(by: .seconds(-30))
        host.advance(by: .seconds(31))
        host.submitContinued(.album(2))
        host.change(busy: false)
        #expect(Set(host.running) == [.album(1), .album(2)])
    }

    @Test(.proves("C10"))
    func `a batch leaves out a request whose retry delay applies again after a step back of the clock`() {
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

    @Test(.proves("C3"))
    func `an event's retry delay set while the clock was far ahead is ignored after a step back and a restart`() {
        host.install(.app(version: "2.0"))
        host.crash()
        host.clock.stepWall(by: .days(-400))
        host.restart()
        #expect(host.plans.count == 2 && host.pendingEvents.isEmpty)
    }

    @Test(.proves("C3"))
    func `an event's retry delay that a step back of the clock dropped does not apply again as its end approaches`() {
        host.install(.app(version: "2.0"))
        host.crash()
        host.remove(.app)
        host.stepWallClock(by: .seconds(-30))
        host.advance(by: .seconds(31))
        host.install(.app(version: "2.0"))
        #expect(host.plans.count == 2 && host.pendingEvents.isEmpty)
    }

    @Test(.proves("C10")) func `a machine that slept past an earliest begin launches the request when it wakes`() {
        host.submit(.clean, after: .hours(8))
        host.advance(by: .hours(1))
        host.stepWallClock(by: .hours(7))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C10")) func `a request begins once although the clock was stepped back a hundred times`() {
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

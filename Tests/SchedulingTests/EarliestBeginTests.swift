// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A request never begins before its time")
struct EarliestBeginTests {
    let host = SchedulerDriver(.app())

    @Test(.proves(28)) func `without an earliest begin nothing is delayed`() {
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(29)) func `a request with an earliest begin starts then and not before`() {
        host.submit(.clean, after: .hours(1))
        host.advance(by: .hours(1) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(30)) func `an earliest begin in the past is none`() {
        host.submit(.clean, after: .hours(-1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(30)) func `even the oldest time there is delays nothing`() {
        host.submit(.clean, at: WallTime(nanoseconds: .min))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(31)) func `a date far ahead is accepted and waits`() {
        host.submit(.clean, at: WallTime(nanoseconds: .max))
        host.advance(by: .days(3_650))
        #expect(host.plans.isEmpty)
        #expect(host.reasons(.clean) == [.earliestBegin(WallTime(nanoseconds: .max))])
    }

    @Test(.proves(29)) func `a replacement's earliest begin counts, not the first one's`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.clean, after: .hours(1))
        host.advance(by: .minutes(30))
        #expect(host.plans.isEmpty)
        host.advance(by: .minutes(30))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(29)) func `a replacement can bring the begin forward`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
        host.runToTheEnd()
        host.advance(by: .hours(2))
        #expect(host.plans.count == 1)
    }

    @Test(.proves(29)) func `of thousands of replaced requests only the last begins`() {
        for second in 1...5_000 { host.submit(.clean, after: .hours(10) + .seconds(second)) }
        host.advance(by: .hours(10) + .seconds(4_999))
        #expect(host.plans.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }
}

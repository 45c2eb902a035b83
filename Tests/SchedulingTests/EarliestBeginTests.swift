// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A background request waits for its earliest begin")
struct EarliestBeginTests {
    let host = SchedulerDriver(.app())

    @Test(.proves(28)) func `a request without an earliest begin starts at once`() {
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(29)) func `a request with an earliest begin starts at that time and not before`() {
        host.submit(.clean, after: .hours(1))
        host.advance(by: .hours(1) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(30)) func `a request whose earliest begin is the present time starts at once`() {
        host.submit(.clean, at: host.clock.now.wall)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(30)) func `an earliest begin in the past does not delay a request`() {
        host.submit(.clean, after: .hours(-1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(30)) func `the oldest representable earliest begin does not delay a request`() {
        host.submit(.clean, at: WallTime(nanoseconds: .min))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(31)) func `a request with the last representable earliest begin is accepted and waits`() {
        host.submit(.clean, at: WallTime(nanoseconds: .max))
        host.advance(by: .days(3_650))
        #expect(host.plans.isEmpty)
        #expect(host.reasons(.clean) == [.earliestBegin(WallTime(nanoseconds: .max))])
    }

    @Test(.proves(29)) func `the earliest begin of a replacement applies instead of that of the first request`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.clean, after: .hours(1))
        host.advance(by: .minutes(30))
        #expect(host.plans.isEmpty)
        host.advance(by: .minutes(30))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(29))
    func `a replacement without an earliest begin starts at once, and the replaced request is not launched later`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
        host.runToTheEnd()
        host.advance(by: .hours(2))
        #expect(host.plans.count == 1)
    }

    @Test(.proves(29)) func `only the last of thousands of replacing requests begins`() {
        for second in 1...5_000 { host.submit(.clean, after: .hours(10) + .seconds(second)) }
        host.advance(by: .hours(10) + .seconds(4_999))
        #expect(host.plans.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Some time lies between two background launches of a plugin")
struct SpacingTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test(.proves("C7")) func `a handler that resubmits at once waits a second`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.submit(.feed, as: .refresh)
        host.complete(.feed)
        let until = host.clock.now.monotonic + .seconds(1)
        #expect(host.reasons(.feed) == [.spacing(until: until)])
        host.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(host.plans.count == 1)
        host.advance(by: .nanoseconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `it lies between the end of one and the begin of the next`() {
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(5))
        host.submit(.vacuum)
        host.complete(.clean)
        host.advance(by: .milliseconds(999))
        #expect(host.plans.count == 1)
        host.advance(by: .milliseconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `another plugin does not wait for it`() {
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.batches == [[.clean], [.sweep]])
    }

    @Test(.proves("C7")) func `events do not wait for it`() {
        host.submit(.clean)
        host.runToTheEnd()
        host.install(.app(version: "2.0"))
        #expect(host.lastPlan?.lane == .event)
    }

    @Test(.proves("C7")) func `it is configuration, for the host and for one plugin`() {
        let host = SchedulerDriver(.app(), .mail()) {
            $0.spacing = .seconds(60)
            $0.plugins[.mail, default: PluginPolicy()].spacing = .zero
        }
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.vacuum)
        host.advance(by: .seconds(59))
        #expect(host.batches == [[.clean]])
        host.submit(.sweep, by: .plugin(.mail))
        host.runToTheEnd()
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.batches == [[.clean], [.sweep], [.sweep]])
        host.advance(by: .seconds(1))
        #expect(host.batches.last == [.vacuum])
    }

    @Test(.proves("C7")) func `a loop of submissions within a handler's plugin does not spin`() {
        host.submit(.feed, as: .refresh)
        for _ in 1...20 {
            host.enter()
            host.submit(.feed, as: .refresh)
            host.complete(.feed)
            host.advance(by: .seconds(1))
        }
        #expect(host.plans.count == 21)
    }
}

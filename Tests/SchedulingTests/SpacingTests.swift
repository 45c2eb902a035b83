// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Two background launches of a plugin are separated by the spacing")
struct SpacingTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test(.proves("C7"))
    func `a request resubmitted by its own handler starts one second after the end of the launch`() {
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

    @Test(.proves("C7")) func `the spacing lies between the end of one launch and the start of the next`() {
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

    @Test(.proves("C7")) func `a launch of one plugin does not delay another plugin by its spacing`() {
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.batches == [[.clean], [.sweep]])
    }

    @Test(.proves("C7")) func `an event launch does not wait for the spacing of its plugin`() {
        host.submit(.clean)
        host.runToTheEnd()
        host.install(.app(version: "2.0"))
        #expect(host.lastPlan?.lane == .event)
    }

    @Test(.proves("C7")) func `the spacing is configurable for the host and for one plugin`() {
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

    @Test(.proves("C7")) func `a handler that resubmits at every launch gets one launch per second`() {
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

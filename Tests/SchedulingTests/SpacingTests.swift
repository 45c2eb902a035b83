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

    // MARK: The spacing of a kind

    /// A host with the default spacing of refresh requests.
    private static func pacing(off: Set<Policy> = []) -> SchedulerDriver {
        SchedulerDriver(.app(), .mail()) {
            $0.policies.kindSpacing = PolicyConfiguration().kindSpacing
            $0.policies.off = off
        }
    }

    /// A host with the default spacing of refresh requests, a main plugin and its extension.
    private static func pacing(_ main: PluginEntry, _ visitor: PluginEntry) -> SchedulerDriver {
        SchedulerDriver(main, visitor) { $0.policies.kindSpacing = PolicyConfiguration().kindSpacing }
    }

    /// The number of launches of the refresh task. A restart also launches plugins for the event `started`.
    private static func feeds(of host: SchedulerDriver) -> Int { host.batches.count { $0 == [.feed] } }

    private static func reason(until end: WallTime) -> Reason { .kindSpacing(until: end, .refresh, .minutes(15)) }

    @Test(.proves("C7")) func `a plugin's own refresh request waits 15 minutes after the previous refresh launch`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.enter()
        host.submit(.feed, as: .refresh)
        host.complete(.feed)
        #expect(host.reasons(.feed) == [Self.reason(until: host.clock.now.wall + .minutes(15))])
        host.advance(by: .minutes(15) - .nanoseconds(1))
        #expect(host.plans.count == 1)
        host.advance(by: .nanoseconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `the spacing of refresh requests does not delay processing, nor another plugin`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.clean)
        host.submit(.sweep, as: .refresh, by: .plugin(.mail))
        host.advance(by: .seconds(1))
        #expect(Set(host.batches) == [[.feed], [.clean], [.sweep]])
    }

    @Test(.proves("C7"), arguments: [Submitter.user, .schedule, .plugin(.keyboard)])
    func `a refresh request of a user, a schedule or an extension does not wait for the spacing of its kind`(
        _ submitter: Submitter
    ) {
        let host = Self.pacing(.app(extensions: [.keyboard]), .keyboard())
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh, by: submitter)
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `a refresh launch for a user's request begins no spacing of its kind`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh, by: .user)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `a user's launch of a plugin's own refresh request does not wait for its spacing`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        _ = host.requestRun(of: .feed)
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `a user's launch of a plugin's own refresh request begins no spacing of its kind`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh, after: .hours(1))
        _ = host.requestRun(of: .feed)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `a user's refresh request starts while the plugin's own one waits for its spacing`() {
        let host = SchedulerDriver(.app()) {
            $0.policies.kindSpacing = PolicyConfiguration().kindSpacing
            $0.limits.refresh = 2
        }
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        host.submit(.headlines, as: .refresh, by: .user)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.feed], [.headlines]])
        host.runToTheEnd()
        host.advance(by: .minutes(15))
        #expect(host.batches == [[.feed], [.headlines], [.feed]])
    }

    @Test(.proves("C7"), arguments: [false, true])
    func `the spacing of a plugin's refresh requests continues across a restart of the host and of the machine`(
        isReboot: Bool
    ) {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        let end = host.clock.now.wall + .minutes(15)
        host.submit(.feed, as: .refresh, after: .seconds(1))
        host.restart(after: .minutes(5), rebooting: isReboot)
        #expect(host.reasons(.feed).contains(Self.reason(until: end)))
        host.advance(by: .minutes(10) - .nanoseconds(1))
        #expect(Self.feeds(of: host) == 1)
        host.advance(by: .nanoseconds(1))
        #expect(Self.feeds(of: host) == 2)
    }

    @Test(.proves("C7"), arguments: [false, true])
    func `the spacing of a plugin's refresh requests ends 15 minutes after the clock was set back, or earlier`(
        duringRestart: Bool
    ) {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        host.stepWallClock(by: .hours(-5))
        if duringRestart { host.restart() }
        host.advance(by: .minutes(15))
        #expect(Self.feeds(of: host) == 2)
    }

    @Test(.proves("C12")) func `the spacing of a kind delays a request for at most the maximum deferral`() {
        let host = SchedulerDriver(.app()) { $0.policies.kindSpacing = [.refresh: .hours(24 * 30)] }
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        host.advance(by: .hours(47))
        #expect(host.plans.count == 1)
        host.advance(by: .hours(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `without the policy spacing a plugin's own refresh request starts at once`() {
        let host = Self.pacing(off: [.spacing])
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7", "C13")) func `an explanation names the spacing of a plugin's own refresh requests`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        #expect(host.reasons(.feed).map(\.kind) == [.kindSpacing])
        let reason = host.reasons(.feed).first
        #expect(reason?.message == "the last refresh launch for the plugin's own requests ended less than 15min ago")
        #expect(reason?.remedy.contains("policies.spacing.refresh") == true)
        guard case .pending(_, _, let policies) = host.explain(.feed).states.first else {
            Issue.record("the request is not pending")
            return
        }
        let verdict = policies.first { $0.policy == .spacing }
        let rationale =
            "at least 1s between two launches, and 15min between two launches for refresh requests of the plugin itself"
        #expect(verdict?.rationale == rationale)
    }

    @Test(.proves("C7")) func `an interrupted refresh of a plugin runs again without the spacing of its kind`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.enter()
        host.crash()
        host.advance(by: .minutes(1))
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `a purged plugin that is installed again keeps the spacing of its refresh requests`() {
        let host = Self.pacing()
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        let end = host.clock.now.wall + .minutes(15)
        host.remove(.app)
        host.purge(.app)
        host.install(.app())
        host.submit(.feed, as: .refresh)
        #expect(host.reasons(.feed).contains(Self.reason(until: end)))
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

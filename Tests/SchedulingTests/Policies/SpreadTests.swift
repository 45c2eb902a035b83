// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("What becomes possible for all at once does not begin for all at once")
struct SpreadTests {
    private let window: Duration = .minutes(10)

    private func host(_ plugins: PluginEntry..., network: Bool = true) -> SchedulerDriver {
        let host = SchedulerDriver(conditions: Conditions(isOnExternalPower: true, hasNetwork: network)) {
            $0.policies.spread = .minutes(10)
        }
        for plugin in plugins {
            host.install(plugin)
            host.finishStarting()
        }
        host.forgetThePast()
        return host
    }

    /// How long the plugin waits; fails unless that is within the window.
    private func wait(_ host: SchedulerDriver, _ identifier: TaskIdentifier, after cause: SpreadCause) throws
        -> Duration
    {
        guard case .spread(let until, let told) = try #require(host.reasons(identifier).first) else {
            Issue.record("it does not wait for its place, but for \(host.reasons(identifier))")
            return .zero
        }
        let wait = until - host.clock.now.monotonic
        #expect(told == cause && wait > .zero && wait < window)
        return wait
    }

    @Test(.proves("C7")) func `after a boot each plugin's work begins at its own place`() throws {
        let host = host(.app(), .mail())
        host.submit(.clean, after: .hours(1))
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.restart(after: .hours(2), rebooting: true)
        #expect(host.plans.isEmpty)
        let (app, mail) = (try wait(host, .clean, after: .boot), try wait(host, .sweep, after: .boot))
        #expect(app != mail)
        host.advance(by: min(app, mail) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.batches == (app < mail ? [[.clean]] : [[.sweep]]))
        host.advance(by: max(app, mail) - min(app, mail))
        #expect(host.batches.count == 2)
    }

    @Test(.proves("C7")) func `a host that starts again later spreads nothing`() {
        let host = host(.app())
        host.submit(.clean, after: .hours(1))
        host.restart(after: .hours(2))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `after a resume what became due meanwhile begins at its place`() throws {
        let host = host(.app())
        host.submit(.clean, after: .hours(1))
        host.send(.resumed)
        host.stepWallClock(by: .hours(3))
        #expect(host.plans.isEmpty)
        host.advance(by: try wait(host, .clean, after: .resume))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `a regained network spreads those who waited for it`() throws {
        let host = host(.app(), network: false)
        host.submit(.clean, needsNetwork: true)
        host.submit(.vacuum)
        #expect(host.batches == [[.vacuum]])
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        host.change(network: true)
        #expect(host.plans.count == 1)
        host.advance(by: try wait(host, .clean, after: .network))
        #expect(host.batches.last == [.clean])
    }

    @Test(.proves("C7")) func `what belongs to one plugin stays one batch`() throws {
        let host = host(.app(), network: false)
        for identifier in [TaskIdentifier.clean, .vacuum, .index] { host.submit(identifier, needsNetwork: true) }
        host.change(network: true)
        host.advance(by: try wait(host, .clean, after: .network))
        #expect(host.batches == [[.clean, .vacuum, .index]])
    }

    @Test(.proves(89)) func `a person's wish is not spread`() {
        let host = host(.app())
        host.send(.resumed)
        host.submit(.clean)
        #expect(host.plans.isEmpty)
        host.simulateLaunch(of: .clean)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `without a spread nothing is spread`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean, after: .hours(1))
        host.restart(after: .hours(2), rebooting: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `switched off nothing is spread`() {
        let host = SchedulerDriver(.app()) {
            $0.policies.spread = .minutes(10)
            $0.policies.off = [.spread]
        }
        host.send(.resumed)
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `a resume while a runner is made ready puts the launch off`() throws {
        let host = host(.app())
        host.runners = .held
        host.submit(.clean)
        host.send(.resumed)
        host.bringRunners()
        #expect(host.plans.isEmpty && host.dismissed.count == 1)
        host.advance(by: try wait(host, .clean, after: .resume))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7"))
    func `a network that is regained within the window does not begin it anew, and at its end it does`() throws {
        let host = host(.app(), network: false)
        func regain() -> MonotonicTime? {
            host.change(network: false)
            host.change(network: true)
            return host.scheduler.surges.network
        }
        let first = try #require(regain())
        #expect(first == host.clock.now.monotonic)
        host.advance(by: window - .nanoseconds(1))
        #expect(regain() == first)
        host.advance(by: .nanoseconds(1))
        #expect(regain() == host.clock.now.monotonic)
    }
}

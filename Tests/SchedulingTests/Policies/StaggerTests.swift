// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Requests of all plugins that become eligible at the same time are staggered")
struct StaggerTests {
    private let window: Duration = .minutes(10)

    private func host(_ plugins: PluginEntry..., network: Bool = true) -> SchedulerDriver {
        let host = SchedulerDriver(conditions: Conditions(isOnExternalPower: true, hasNetwork: network)) {
            $0.policies.stagger = .minutes(10)
        }
        for plugin in plugins {
            host.install(plugin)
            host.finishStarting()
        }
        host.forgetThePast()
        return host
    }

    /// The delay of the plugin's request by the stagger. Records an issue unless the stagger has that cause and lies
    /// within the window.
    private func wait(_ host: SchedulerDriver, _ identifier: TaskIdentifier, after cause: StaggerCause) throws
        -> Duration
    {
        guard case .stagger(let until, let reported) = try #require(host.reasons(identifier).first) else {
            Issue.record("it waits for another reason than the stagger: \(host.reasons(identifier))")
            return .zero
        }
        let wait = until - host.clock.now.monotonic
        #expect(reported == cause && wait > .zero && wait < window)
        return wait
    }

    @Test(.proves("C7"))
    func `requests of two plugins that became due during a reboot begin at different times`() throws {
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

    @Test(.proves("C7")) func `a restart of the host without a reboot does not stagger a due request`() {
        let host = host(.app())
        host.submit(.clean, after: .hours(1))
        host.restart(after: .hours(2))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7"))
    func `a request that became due during a suspension is staggered after the resume`() throws {
        let host = host(.app())
        host.submit(.clean, after: .hours(1))
        host.send(.resumed)
        host.stepWallClock(by: .hours(3))
        #expect(host.plans.isEmpty)
        host.advance(by: try wait(host, .clean, after: .resume))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7"))
    func `a request that waited for the network is staggered after the network returns`() throws {
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

    @Test(.proves("C7")) func `staggered requests of one plugin share one launch`() throws {
        let host = host(.app(), network: false)
        for identifier in [TaskIdentifier.clean, .vacuum, .index] { host.submit(identifier, needsNetwork: true) }
        host.change(network: true)
        host.advance(by: try wait(host, .clean, after: .network))
        #expect(host.batches == [[.clean, .vacuum, .index]])
    }

    @Test(.proves(89)) func `a launch requested by a user is not staggered`() {
        let host = host(.app())
        host.send(.resumed)
        host.submit(.clean)
        #expect(host.plans.isEmpty)
        host.requestRun(of: .clean)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `a request is not staggered when the stagger window is zero`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean, after: .hours(1))
        host.restart(after: .hours(2), rebooting: true)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `a request is not staggered when the stagger policy is switched off`() {
        let host = SchedulerDriver(.app()) {
            $0.policies.stagger = .minutes(10)
            $0.policies.off = [.stagger]
        }
        host.send(.resumed)
        host.submit(.clean)
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7"))
    func `a resume while a runner is not ready dismisses the runner and staggers the launch`() throws {
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
    func `a network regained within the stagger window does not restart the window, one regained at its end does`()
        throws
    {
        let host = host(.app(), network: false)
        func regain() -> MonotonicTime? {
            host.change(network: false)
            host.change(network: true)
            return host.scheduler.startupWaves.network
        }
        let first = try #require(regain())
        #expect(first == host.clock.now.monotonic)
        host.advance(by: window - .nanoseconds(1))
        #expect(regain() == first)
        host.advance(by: .nanoseconds(1))
        #expect(regain() == host.clock.now.monotonic)
    }
}

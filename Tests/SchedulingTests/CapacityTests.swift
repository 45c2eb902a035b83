// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The free capacity of a host is the work that could start soon")
struct CapacityTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail()) {
        $0.backgroundLaunches = 2
        $0.spacing = .seconds(120)
    }

    private var capacity: FreeCapacity { host.scheduler.freeCapacity(of: [.app, .mail], at: host.clock.now) }
    private var app: FreeCapacity.OfPlugin? { capacity.plugins.first }
    private var freeLaunches: Int? { capacity.lanes.first { $0.lane == .background }?.free }

    @Test func `an idle host has capacity up to the limits of launches and of pending requests`() throws {
        let free = try #require(app)
        #expect(free.plugin == .app && free.version == "1.0" && free.digest == "library of com.example.app 1.0")
        #expect(free.kinds == [.refresh, .processing] && free.obstacle == nil && free.free == 11)
        #expect(capacity.plugins.map(\.plugin) == [.app, .mail])
        #expect(capacity.lanes.map(\.lane) == [.background, .continued] && capacity.lanes.map(\.free) == [2, 4])
    }

    @Test func `the free capacity has neither extensions nor plugins that are not installed`() {
        let plugins: [PluginIdentifier] = [.keyboard, "com.example.gone", .mail]
        #expect(host.scheduler.freeCapacity(of: plugins, at: host.clock.now).plugins.map(\.plugin) == [.mail])
    }

    @Test func `requests that wait for the same launch use a part of the capacity of their plugin`() {
        host.runners = .held
        host.submit(.clean)
        host.submit(.feed, as: .refresh)
        #expect(app?.kinds == [.refresh, .processing] && app?.free == 9)
        #expect(capacity.plugins.last?.free == 11)
    }

    @Test func `a plugin has no capacity while its launch runs, until the last minute of the spacing after it`() {
        host.submit(.clean)
        #expect(app?.kinds == [] && app?.free == 0 && app?.obstacle?.kind == .laneBusy)
        #expect(freeLaunches == 1 && capacity.plugins.last?.free == 11)
        host.runToTheEnd()
        #expect(app?.free == 0 && app?.obstacle?.kind == .spacing && freeLaunches == 2)
        host.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(app?.free == 0)
        host.advance(by: .nanoseconds(1))
        #expect(app?.free == 11 && app?.obstacle == nil)
    }

    @Test func `a plugin without a launch has no capacity while other plugins use up the lane`() {
        let host = SchedulerDriver(.app(), .mail()) { $0.backgroundLaunches = 1 }
        host.submit(.sweep, by: .plugin(.mail))
        let capacity = host.scheduler.freeCapacity(of: [.app], at: host.clock.now)
        #expect(capacity.lanes.first?.free == 0)
        #expect(capacity.plugins.first?.obstacle == .launchLimit(.background, limit: 1))
    }

    @Test func `a kind that a condition delays is not among the kinds that could start soon`() {
        host.change(idle: false)
        #expect(app?.kinds == [.refresh] && app?.free == 1 && app?.obstacle == nil)
        host.change(memoryLow: true)
        #expect(app?.kinds == [] && app?.free == 0 && app?.obstacle == .memoryPressure)
    }

    @Test func `a host without a sample of its use has no capacity`() {
        host.change(useUnknown: true)
        #expect(app?.kinds == [] && app?.obstacle == .useUnknown)
    }

    @Test func `a paused plugin has no capacity, even if the pause ends within a minute`() {
        host.pause(.app, until: host.clock.now.wall + .seconds(30))
        #expect(app?.free == 0 && app?.obstacle?.kind == .pluginPaused)
        host.resume(.app)
        #expect(app?.free == 11)
    }

    @Test func `a plugin whose manifest permits no background request has no capacity and no reason`() {
        host.install(.app(modes: []))
        host.finishStarting()
        #expect(app?.kinds == [] && app?.free == 0 && app?.obstacle == nil)
    }

    @Test func `a plugin has no capacity before its pending work is loaded`() {
        host.submit(.clean, after: .hours(1))
        host.loads = .held
        host.restart()
        #expect(app?.kinds == [] && app?.free == 0 && app?.obstacle == nil)
        host.bringLoads()
        #expect(app?.free == 10)
    }
}

@Suite("A host with a trusted lease samples its conditions, and counts the claims of the lease")
struct LeaseWatchTests {
    let host = SchedulerDriver(.app()) { $0.fleet.plugins = ["*"].compactMap(PluginPattern.init) }

    private func renew(_ duration: Duration = .seconds(30), on host: SchedulerDriver) {
        let renewal = LeaseRenewal("web-1", owner: 1_000, trust: .lasting(duration))
        _ = host.ask { .leaseRenewed(renewal, reply: $0) }
    }

    @Test func `the conditions are sampled while a lease is trusted, although no work waits`() {
        #expect(host.watch == Watch())
        renew(on: host)
        #expect(host.watch == Watch(sampled: true))
        host.advance(by: .seconds(30))
        #expect(host.watch == Watch())
    }

    @Test func `the conditions are not sampled for a lease when no plugin may take work of a fleet`() {
        let host = SchedulerDriver(.app())
        renew(on: host)
        #expect(host.watch == Watch())
    }

    @Test func `the gauges of a lease have its trust, the time since its last renewal and its open claims`() {
        host.change(power: false)
        host.caller = CallingUser(uid: 1_000, pid: 1, command: nil)
        renew(on: host)
        for (item, task) in [(Int64(1), TaskIdentifier.clean), (2, .vacuum)] {
            let claim = Claim(item: item, fence: 1, isBound: item == 1)
            let request = TaskRequest(
                identifier: task,
                kind: .processing,
                requiresExternalPower: true,
                claim: LeasedClaim(claim, under: "web-1")
            )
            _ = host.ask { .submitted(Submission(request: request, submitter: .user), reply: $0) }
        }
        host.advance(by: .seconds(10))
        let open = LeaseGauge(
            name: "web-1",
            isTrusted: true,
            contactAge: .seconds(10),
            boundClaims: 1,
            unboundClaims: 1
        )
        #expect(host.scheduler.workGauges(at: host.clock.now).leases == [open])
        host.advance(by: .seconds(20))
        let lost = LeaseGauge(
            name: "web-1",
            isTrusted: false,
            contactAge: .seconds(30),
            boundClaims: 1,
            unboundClaims: 0
        )
        #expect(host.scheduler.workGauges(at: host.clock.now).leases == [lost])
    }
}

@Suite("A request that has to start soon is refused when it could not")
struct SoonStartTests {
    let host = SchedulerDriver(.app(), .mail()) { $0.spacing = .seconds(120) }

    @discardableResult
    private func submit(
        _ identifier: TaskIdentifier = .clean,
        after delay: Duration? = nil,
        needsPower: Bool = false
    ) -> Answer? {
        let request = TaskRequest(
            identifier: identifier,
            kind: .processing,
            earliestBegin: delay.map { host.clock.now.wall + $0 },
            requiresExternalPower: needsPower
        )
        return host.ask {
            .submitted(Submission(request: request, submitter: .user, isOnlyIfSoon: true), reply: $0)
        }
    }

    private func isRefused(_ answer: Answer?, because reason: Reason) -> Bool {
        guard let refusal = answer?.refusal else { return false }
        return refusal.code == .immediateRunIneligible && refusal.subReason == .noCapacityNow
            && refusal.message.contains("cannot start soon: \(reason.message)") && host.request(.clean) == nil
    }

    @Test func `a request that has to start soon starts when nothing delays it`() {
        #expect(submit()?.submission != nil)
        #expect(host.batches == [[.clean]])
    }

    @Test func `requests that have to start soon share a launch that is being prepared`() {
        host.runners = .held
        #expect(submit(.clean)?.submission != nil && submit(.vacuum)?.submission != nil)
        host.bringRunners()
        #expect(host.batches == [[.clean, .vacuum]])
    }

    @Test func `a request that has to start soon is refused while a condition delays it`() {
        host.change(power: false, idle: false)
        #expect(isRefused(submit(needsPower: true), because: .externalPower))
        #expect(isRefused(submit(), because: .notIdle))
    }

    @Test func `a request that has to start soon is refused while its plugin is paused`() throws {
        host.pause(.app)
        let pause = try #require(host.scheduler.pauses[.app])
        #expect(isRefused(submit(), because: .pluginPaused(.app, pause)))
    }

    @Test func `a request that has to start soon is refused during a launch and in the first part of the spacing`()
        throws
    {
        host.submit(.vacuum)
        let launch = try #require(host.lastPlan?.number)
        #expect(isRefused(submit(), because: .laneBusy(.background, launch)))
        host.runToTheEnd()
        #expect(isRefused(submit(), because: .spacing(until: host.clock.now.monotonic + .seconds(120))))
        host.advance(by: .seconds(60))
        #expect(submit()?.submission != nil)
        host.advance(by: .seconds(60))
        #expect(host.batches == [[.vacuum], [.clean]])
    }

    @Test func `a request that has to start soon may begin up to a minute later`() {
        let late = submit(after: .seconds(60) + .nanoseconds(1))
        #expect(isRefused(late, because: .earliestBegin(host.clock.now.wall + .seconds(61))))
        #expect(submit(after: .seconds(60))?.submission != nil)
    }

    @Test func `a request without the condition to start soon waits instead`() {
        host.change(idle: false)
        #expect(host.submit(.clean)?.submission != nil && host.reasons(.clean) == [.notIdle])
    }

    @Test func `the check of a submission applies the same rule`() {
        host.change(idle: false)
        let request = TaskRequest(identifier: .clean, kind: .processing)
        for isOnlyIfSoon in [false, true] {
            let submission = Submission(request: request, submitter: .user, isOnlyIfSoon: isOnlyIfSoon)
            let result = host.scheduler.check(submission, at: host.clock.now)
            #expect((try? result.get()) == nil ? isOnlyIfSoon : !isOnlyIfSoon)
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued task is started by a user and begins at once if possible")
struct ContinuedSubmissionTests {
    let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard(), .mail()) {
        $0.continuedLaunches = 2
        $0.eventLaunches = 2
    }

    // MARK: Permission

    @Test(.proves(72))
    func `a continued request of a user starts at once, in its own launch without a deadline`() throws {
        host.submitContinued()
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .continued && plan.cause == .user)
        #expect(plan.identifiers == [.album(1)] && plan.budget.total == nil)
    }

    @Test(.proves(72)) func `a continued request ignores its earliest begin`() {
        host.submitContinued(at: host.clock.now.wall + .hours(5))
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(5)) func `a continued request requires no background mode`() {
        let host = SchedulerDriver(.studio(modes: []))
        host.submitContinued()
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(5)) func `a continued request may use an exact identifier of the manifest`() {
        host.submitContinued(.clean)
        #expect(host.lastPlan?.lane == .continued)
    }

    @Test(.proves(10)) func `a continued request whose identifier matches no pattern of the manifest is refused`() {
        for name: TaskIdentifier in ["com.example.app.export", "com.example.app.exports.album1"] {
            #expect(host.submitContinued(name)?.refusal?.subReason == .identifierNotPermitted)
        }
    }

    @Test(.proves(9)) func `the fixed part of a pattern is compared case-sensitively`() {
        #expect(host.submitContinued("com.example.app.Export.album1")?.refusal?.code == .notPermitted)
        #expect(host.submitContinued("com.example.app.export.ALBUM")?.refusal == nil)
    }

    @Test(.proves("C9"))
    func `a pattern permits processing requests only if the operator allows it, and refresh requests not even then`() {
        #expect(host.submit(.album(1))?.refusal?.subReason == .identifierNotPermitted)
        let open = SchedulerDriver(.studio()) {
            $0.plugins[.app, default: PluginPolicy()].allowsPatternsForProcessing = true
        }
        #expect(open.submit(.album(1))?.refusal == nil)
        #expect(open.submit(.album(2), as: .refresh)?.refusal?.subReason == .identifierNotPermitted)
    }

    // MARK: Foreground

    @Test(.proves("C8")) func `a continued request from a background launch is refused as not in foreground`() {
        host.submit(.clean)
        host.enter(registering: [.clean, .album(1)])
        let refusal = host.submitContinued(from: host.lastPlan)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .notInForeground)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C8")) func `a continued request from a launch that a user requested is accepted`() {
        #expect(host.submitContinued(from: host.openByUser())?.refusal == nil)
    }

    @Test(.proves("C8")) func `a continued request from the relaunch after a crash of a user's launch is refused`() {
        host.openByUser()
        host.crash()
        host.advance(by: .minutes(1))
        host.enter(registering: [.clean, .album(1)])
        #expect(host.lastPlan?.cause == .relaunch)
        #expect(host.submitContinued(from: host.lastPlan)?.refusal?.subReason == .notInForeground)
    }

    @Test(.proves("C8"))
    func `a continued request from a triggered extension is accepted and launches the main plugin`() throws {
        host.trigger()
        host.enter()
        host.submitContinued(from: host.lastPlan)
        let plan = try #require(host.lastPlan)
        #expect(plan.plugin.identifier == .app && plan.identifiers == [.album(1)])
    }

    @Test(.proves("C8")) func `a continued request from the launch of a started event is refused`() {
        host.install(.studio(version: "2.0", extensions: [.keyboard]))
        host.enter()
        #expect(host.submitContinued(from: host.lastPlan)?.refusal?.subReason == .notInForeground)
    }

    @Test(.proves("C8")) func `a continued request from a continued task is accepted and delivered to its launch`() {
        host.submitContinued()
        host.enter(registering: [.album(1), .album(2)])
        host.submitContinued(.album(2), from: host.lastPlan)
        #expect(host.deliveries == [.album(2)])
    }

    @Test(.proves("C8")) func `a continued request of a plugin outside of a launch is refused`() {
        #expect(host.submitContinued(by: .plugin(.app))?.refusal?.subReason == .notInForeground)
    }

    // MARK: Limits and resources

    @Test(.proves("C5")) func `at most ten continued requests may be pending, beside requests of other kinds`() {
        host.change(busy: true)
        for number in 1...10 { #expect(host.submitContinued(.album(number))?.refusal == nil) }
        let refusal = host.submitContinued(.album(11))?.refusal
        #expect(refusal?.code == .tooManyPendingTaskRequests && refusal?.subReason == .continuedLimit)
        #expect(host.submit(.clean, after: .hours(1))?.refusal == nil)
        #expect(host.submitContinued(.album(10))?.replaced != nil)
    }

    @Test(.proves("C5")) func `running continued tasks do not count against the limit of pending continued requests`() {
        for number in 1...2 { host.submitContinued(.album(number)) }
        for number in 3...12 { #expect(host.submitContinued(.album(number))?.refusal == nil) }
        #expect(host.submitContinued(.album(13))?.refusal?.subReason == .continuedLimit)
    }

    @Test(.proves("C5")) func `the operator can raise the limit of continued requests`() {
        let host = SchedulerDriver(.studio()) {
            var limits = PendingLimits()
            limits.continued = 11
            $0.plugins[.app, default: PluginPolicy()].limits = limits
        }
        host.change(busy: true)
        for number in 1...11 { #expect(host.submitContinued(.album(number))?.refusal == nil) }
        #expect(host.submitContinued(.album(12))?.refusal?.subReason == .continuedLimit)
    }

    @Test(.proves(75)) func `a continued request for a resource that the machine lacks is refused with error 3`() {
        let refusal = host.submitContinued(needing: .gpu)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .resourcesUnsupported)
        host.change(resources: .gpu)
        #expect(host.submitContinued(needing: .gpu)?.refusal == nil)
    }

    @Test(.proves(75)) func `a continued request for a resource without the entitlement is refused with error 3`() {
        let host = SchedulerDriver(.studio(entitlements: []))
        host.change(resources: .gpu)
        let refusal = host.submitContinued(needing: .gpu)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .entitlementMissing)
    }

    @Test(.proves(75)) func `a pending continued request waits for its resource when the machine loses it`() {
        host.change(busy: true, resources: .gpu)
        host.submitContinued(needing: .gpu)
        host.change(busy: false, resources: [])
        #expect(host.reasons(.album(1)) == [.resourcesMissing])
        host.change(resources: .gpu)
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }
}

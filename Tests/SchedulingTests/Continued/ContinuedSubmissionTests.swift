// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued task is what a person started, and starts at once if it can")
struct ContinuedSubmissionTests {
    let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard(), .mail()) {
        $0.continuedLaunches = 2
        $0.eventLaunches = 2
    }

    // MARK: What permits it

    @Test(.proves(72)) func `a person's request starts at once, in a launch of its own without a deadline`() throws {
        host.submitContinued()
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .continued && plan.cause == .person)
        #expect(plan.identifiers == [.album(1)] && plan.budget.total == nil)
    }

    @Test(.proves(72)) func `an earliest begin is ignored in favour of now`() {
        host.submitContinued(at: host.clock.now.wall + .hours(5))
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(5)) func `no background mode is needed`() {
        let host = SchedulerDriver(.studio(modes: []))
        host.submitContinued()
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(5)) func `a permitted name may be continued as well as a composed one`() {
        host.submitContinued(.clean)
        #expect(host.lastPlan?.lane == .continued)
    }

    @Test(.proves(10)) func `a name that no pattern covers is not permitted`() {
        for name: TaskIdentifier in ["com.example.app.export", "com.example.app.exports.album1"] {
            #expect(host.submitContinued(name)?.refusal?.subReason == .identifierNotPermitted)
        }
    }

    @Test(.proves(9)) func `a pattern is matched in its own case`() {
        #expect(host.submitContinued("com.example.app.Export.album1")?.refusal?.code == .notPermitted)
        #expect(host.submitContinued("com.example.app.export.ALBUM")?.refusal == nil)
    }

    @Test(.proves("C9")) func `a pattern stands for processing only where the operator allows it`() {
        #expect(host.submit(.album(1))?.refusal?.subReason == .identifierNotPermitted)
        let open = SchedulerDriver(.studio()) {
            $0.plugins[.app, default: PluginPolicy()].allowsPatternsForProcessing = true
        }
        #expect(open.submit(.album(1))?.refusal == nil)
        #expect(open.submit(.album(2), as: .refresh)?.refusal?.subReason == .identifierNotPermitted)
    }

    // MARK: What is foreground

    @Test(.proves("C8")) func `a launch that no person started may not submit one`() {
        host.submit(.clean)
        host.enter(registering: [.clean, .album(1)])
        let refusal = host.submitContinued(from: host.lastPlan)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .notInForeground)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C8")) func `a launch that a person asked for may`() {
        #expect(host.submitContinued(from: host.openByPerson())?.refusal == nil)
    }

    @Test(.proves("C8")) func `what a person's launch left behind after a crash is relaunched by nobody's wish`() {
        host.openByPerson()
        host.crash()
        host.advance(by: .minutes(1))
        host.enter(registering: [.clean, .album(1)])
        #expect(host.lastPlan?.cause == .relaunch)
        #expect(host.submitContinued(from: host.lastPlan)?.refusal?.subReason == .notInForeground)
    }

    @Test(.proves("C8")) func `an extension that a person triggered may, and its main plugin is launched`() throws {
        host.trigger()
        host.enter()
        host.submitContinued(from: host.lastPlan)
        let plan = try #require(host.lastPlan)
        #expect(plan.plugin.identifier == .app && plan.identifiers == [.album(1)])
    }

    @Test(.proves("C8")) func `a plugin that was only told that it started may not`() {
        host.install(.studio(version: "2.0", extensions: [.keyboard]))
        host.enter()
        #expect(host.submitContinued(from: host.lastPlan)?.refusal?.subReason == .notInForeground)
    }

    @Test(.proves("C8")) func `a continued task may submit another`() {
        host.submitContinued()
        host.enter(registering: [.album(1), .album(2)])
        host.submitContinued(.album(2), from: host.lastPlan)
        #expect(host.deliveries == [.album(2)])
    }

    @Test(.proves("C8")) func `a plugin outside of any launch may not`() {
        #expect(host.submitContinued(by: .plugin(.app))?.refusal?.subReason == .notInForeground)
    }

    // MARK: Limits and resources

    @Test(.proves("C5")) func `ten may be pending, counted apart from processing`() {
        host.change(busy: true)
        for number in 1...10 { #expect(host.submitContinued(.album(number))?.refusal == nil) }
        let refusal = host.submitContinued(.album(11))?.refusal
        #expect(refusal?.code == .tooManyPendingTaskRequests && refusal?.subReason == .continuedLimit)
        #expect(host.submit(.clean, after: .hours(1))?.refusal == nil)
        #expect(host.submitContinued(.album(10))?.replaced != nil)
    }

    @Test(.proves("C5")) func `running ones do not count`() {
        for number in 1...2 { host.submitContinued(.album(number)) }
        for number in 3...12 { #expect(host.submitContinued(.album(number))?.refusal == nil) }
        #expect(host.submitContinued(.album(13))?.refusal?.subReason == .continuedLimit)
    }

    @Test(.proves("C5")) func `the operator can raise the limit`() {
        let host = SchedulerDriver(.studio()) {
            var limits = PendingLimits()
            limits.continued = 11
            $0.plugins[.app, default: PluginPolicy()].limits = limits
        }
        host.change(busy: true)
        for number in 1...11 { #expect(host.submitContinued(.album(number))?.refusal == nil) }
        #expect(host.submitContinued(.album(12))?.refusal?.subReason == .continuedLimit)
    }

    @Test(.proves(75)) func `a resource that the machine does not have is refused with error 3`() {
        let refusal = host.submitContinued(needing: .gpu)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .resourcesUnsupported)
        host.change(resources: .gpu)
        #expect(host.submitContinued(needing: .gpu)?.refusal == nil)
    }

    @Test(.proves(75)) func `a resource that the manifest is not entitled to is refused with error 3`() {
        let host = SchedulerDriver(.studio(entitlements: []))
        host.change(resources: .gpu)
        let refusal = host.submitContinued(needing: .gpu)?.refusal
        #expect(refusal?.code == .notPermitted && refusal?.subReason == .entitlementMissing)
    }

    @Test(.proves(75)) func `one that waits while its resource goes waits for it`() {
        host.change(busy: true, resources: .gpu)
        host.submitContinued(needing: .gpu)
        host.change(busy: false, resources: [])
        #expect(host.reasons(.album(1)) == [.resourcesMissing])
        host.change(resources: .gpu)
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }
}

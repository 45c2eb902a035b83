// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("The explanation of a waiting request contains its reasons and, if one change would start it, that change")
struct ExplanationTests {
    let host = SchedulerDriver(.app(), .mail(), conditions: Conditions(isOnExternalPower: false, hasNetwork: false))

    @Test(.proves("C13"))
    func `a request with one reason is explained by that reason, its end and the change that would start it`() {
        let begin = host.clock.now.wall + .hours(1)
        host.submit(.clean, at: begin)
        let explanation = host.explain(.clean)
        #expect(explanation.plugin == .app)
        #expect(explanation.reasons == [.earliestBegin(begin)])
        #expect(explanation.earliest == begin)
        #expect(explanation.change == .earliestBegin(begin))
    }

    @Test(.proves("C13"))
    func `an explanation lists earliest begin, power and network in this order, and proposes no change`() {
        let begin = host.clock.now.wall + .hours(1)
        host.submit(.clean, at: begin, needsPower: true, needsNetwork: true)
        let explanation = host.explain(.clean)
        #expect(explanation.reasons == [.earliestBegin(begin), .externalPower, .network])
        #expect(explanation.change == nil)
        #expect(explanation.earliest == begin)
    }

    @Test(.proves("C13")) func `an explanation lists the spacing before external power`() {
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.vacuum, needsPower: true)
        #expect(host.explain(.vacuum).reasons.map(\.code) == ["spacing", "external-power"])
    }

    @Test(.proves("C13")) func `the earliest start of a request is the latest end of its timed reasons`() {
        host.submit(.clean)
        host.enter()
        host.crash()
        let explanation = host.explain(.clean)
        #expect(explanation.reasons.map(\.code) == ["retry-delay", "spacing"])
        #expect(explanation.earliest == host.clock.now.wall + .seconds(10))
    }

    @Test(.proves("C13")) func `a request that waits for external power has no earliest start`() {
        host.submit(.clean, needsPower: true)
        #expect(host.explain(.clean).earliest == nil)
        #expect(host.explain(.clean).change == .externalPower)
    }

    @Test(.proves("C13")) func `a running task is explained by its launch and its used and total time`() throws {
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(2))
        let launch = try #require(host.lastPlan).number
        #expect(host.explain(.clean).states == [.running(launch, used: .minutes(2), total: .minutes(10))])
    }

    @Test(.proves("C13")) func `a task that runs and is pending again is explained by both states`() {
        host.submit(.clean)
        host.enter()
        host.submit(.clean, after: .hours(1))
        #expect(host.explain(.clean).states.count == 2)
        #expect(host.explain(.clean).reasons.map(\.code) == ["earliest-begin", "lane-busy"])
    }

    @Test(.proves("C13")) func `a request in a batch that is being committed has no reason to wait`() {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        host.bringRunners()
        #expect(host.explain(.clean).states.count == 1)
        #expect(host.reasons(.clean).isEmpty)
    }

    @Test(.proves("C13")) func `a request whose runner is not ready yet waits for the busy lane`() {
        host.runners = .held
        host.submit(.clean)
        #expect(host.reasons(.clean).map(\.code) == ["lane-busy"])
    }

    @Test(.proves("C13"))
    func `an identifier without a submission is unknown, but its explanation names the plugin that permits it`() {
        #expect(host.explain(.clean).states == [.unknown])
        #expect(host.explain(.clean).plugin == .app)
        #expect(host.explain("com.example.nobody.knows").plugin == nil)
    }

    @Test(.proves("C13"))
    func `the explanation of an event names both plugins if its extension and its main plugin are missing`() throws {
        let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard())
        host.runners = .unavailable
        host.trigger()
        host.remove(.app)
        #expect(host.reasons("com.example.app.keyboard").filter(\.isAbsence) == [.pluginMissing(.app)])
        host.remove(.keyboard)
        let explanation = host.explain("com.example.app.keyboard")
        #expect(explanation.reasons.prefix(2) == [.pluginMissing(.app), .pluginMissing(.keyboard)])
        #expect(explanation.change == nil)
        host.refuse(.keyboard, because: "it is torn")
        let reasons = host.reasons("com.example.app.keyboard")
        #expect(reasons.prefix(2) == [.pluginMissing(.app), .pluginRefused(.keyboard, problem: "it is torn")])
    }

    @Test(.proves("C13"))
    func `an event of an extension refused only because its main plugin is missing waits for the main plugin`() {
        let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard())
        host.runners = .unavailable
        host.trigger()
        host.advance(by: .minutes(1))
        host.installed = []
        host.sendCatalogue(refused: [.keyboard: "its main plugin is not there"], orphans: [.keyboard])
        host.advance(by: .minutes(1))
        #expect(host.explain("com.example.app.keyboard").reasons.filter(\.isAbsence) == [.pluginMissing(.app)])
    }

    @Test(.proves("C13")) func `a request that waits for a task that must run alone has that task as its reason`() {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.crash()
        host.advance(by: .seconds(1))
        host.submit(.index)
        host.runToTheEnd()
        host.runners = .held
        host.advance(by: .seconds(1))
        #expect(host.reasons(.index).last == .othersRunAlone(first: "com.example.app.vacuum"))
        #expect(host.explain(.index).change == nil)
        host.stop()
        #expect(host.reasons(.index).suffix(2).map(\.code) == ["others-run-alone", "host-stopping"])
    }

    @Test(.proves("C13")) func `a stopping host is a reason of its pending requests`() {
        host.submit(.clean, after: .hours(1))
        host.stop()
        #expect(host.reasons(.clean).last == .hostStopping)
    }

    @Test(.proves("C13")) func `before the catalogue is read, a pending request has its missing plugin as reason`() {
        host.submit(.clean, after: .hours(1))
        host.scheduler = Scheduler(
            configuration: host.configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        host.wake = (nil, nil)
        host.send(.loaded(host.ledger.work(of: .app)))
        #expect(host.reasons(.clean).first == .pluginMissing(.app))
    }

    @Test(.proves("C13")) func `an event behind a delayed event waits with reason others-run-alone`() throws {
        host.install(.app(version: "2.0"))
        host.enter()
        host.install(.app(version: "3.0"))
        host.crash()
        let second = try #require(host.scheduler.pendingEvents.last)
        let reasons = host.scheduler.reasons(against: .event(second), at: host.clock.now)
        #expect(reasons == [.othersRunAlone(first: "started")])
        host.stop()
        let stopping = host.scheduler.reasons(against: .event(second), at: host.clock.now)
        #expect(stopping.map(\.code) == ["others-run-alone", "host-stopping"])
    }

    /// Each argument is a combination of the requirements of a request and the conditions of the machine, one bit each.
    @Test(.proves("C13"), arguments: 0..<32)
    func `a request has reasons exactly if it is not launched, whatever its begin, power and network`(_ bits: Int) {
        let host = SchedulerDriver(
            .app(),
            conditions: Conditions(isOnExternalPower: bits & 1 != 0, hasNetwork: bits & 2 != 0)
        )
        host.submit(
            .clean,
            after: bits & 4 != 0 ? .hours(1) : nil,
            needsPower: bits & 8 != 0,
            needsNetwork: bits & 16 != 0
        )
        #expect(host.batches.isEmpty == !host.reasons(.clean).isEmpty)
        #expect(host.pending.isEmpty == host.reasons(.clean).isEmpty)
    }

    @Test(.proves("C13"))
    func `a disabled plugin has a reason that blocks all of its work, an enabled plugin has none`() {
        #expect(host.scheduler.reasons(againstAllOf: .app).isEmpty)
        let host = SchedulerDriver(.app()) { $0.plugins[.app, default: PluginPolicy()].isEnabled = false }
        #expect(host.scheduler.reasons(againstAllOf: .app) == [.pluginDisabled(.app)])
    }

    @Test(.proves("C13")) func `work of an unknown plugin waits for that plugin`() throws {
        host.submit(.clean, after: .hours(1))
        let work = PendingWork.request(try #require(host.request(.clean)))
        host.remove(.app)
        host.purge(.app)
        #expect(host.scheduler.reasons(against: work, at: host.clock.now) == [.pluginMissing(.app)])
        #expect(host.scheduler.reasons(againstAllOf: .app) == [.pluginMissing(.app)])
        #expect(host.scheduler.waitingEvents(of: .app, at: host.clock.now).isEmpty)
    }
}

extension Reason {
    fileprivate var isAbsence: Bool { code.hasPrefix("plugin-") }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("The work of a paused plugin waits until the pause ends")
struct PauseTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .mail(), .keyboard())
    private let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")

    private func reasons(against identifier: TaskIdentifier) -> [Reason] {
        host.scheduler.explain(identifier, at: host.clock.now).reasons
    }

    @Test func `a request of a paused plugin is accepted, waits with the reason plugin-paused, and runs after the end`()
        throws
    {
        host.caller = user
        let pause = PluginPause(since: host.clock.now.wall, user: user)
        #expect(host.pause(.app) == .paused(pause))
        host.caller = nil
        #expect(host.submit(.clean)?.submission != nil)
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.batches == [[.sweep]])
        #expect(reasons(against: .clean) == [.pluginPaused(.app, pause)])
        #expect(reasons(against: .clean).first?.message == "plugin com.example.app is paused by uid 1000")
        #expect(host.scheduler.summary(of: .app)?.pause == pause && host.scheduler.summary(of: .mail)?.pause == nil)
        #expect(host.resume(.app) == .resumed(wasPaused: true))
        #expect(host.batches == [[.sweep], [.clean]])
        #expect(host.entries(.pluginPaused).map(\.user) == [user] && host.entries(.pluginResumed).count == 1)
    }

    @Test func `a pause does not end a running launch, but the launch takes no further work`() {
        host.submit(.clean)
        host.enter()
        host.pause(.app)
        host.submit(.vacuum)
        #expect(host.running == [.clean] && host.expirations.isEmpty)
        host.complete(.clean)
        #expect(host.outcomes(of: .clean) == [.succeeded] && host.pending == [.vacuum])
    }

    @Test func `a launch that runs takes no continued request during a pause, and takes it after the end`() {
        let host = SchedulerDriver(.studio())
        let plan = host.openByUser()
        host.pause(.app)
        host.submitContinued(.album(1), from: plan)
        #expect(host.deliveries.isEmpty && host.running == [.clean])
        host.resume(.app)
        #expect(host.deliveries == [.album(1)] && host.plans.count == 1)
    }

    @Test func `a pause prevents a launch whose runner is not ready yet`() {
        host.runners = .held
        host.submit(.clean)
        host.pause(.app)
        host.bringRunners()
        #expect(host.plans.isEmpty && host.dismissed.count == 1 && host.pending == [.clean])
    }

    @Test(.proves(89)) func `a launch that a user requests waits for the end of the pause, then ignores conditions`() {
        host.change(power: false)
        host.pause(.app)
        host.submit(.clean, needsPower: true)
        #expect(host.requestRun(of: .clean) == .launching([]))
        #expect(reasons(against: .clean).map(\.code) == ["plugin-paused"])
        host.resume(.app)
        #expect(host.batches == [[.clean]])
    }

    @Test func `the pause of a main plugin also applies to its extensions, and that of an extension only to itself`() {
        host.pause(.app)
        host.trigger(.keyboard)
        #expect(host.scheduler.reasons(againstAllOf: .keyboard).map(\.code) == ["plugin-paused"])
        #expect(host.plans.isEmpty && host.pendingEvents == [.trigger])
        host.resume(.app)
        #expect(host.plans.map(\.plugin.identifier) == [.keyboard])
        host.enter()
        host.completeEvent()
        host.pause(.keyboard)
        host.trigger(.keyboard)
        host.submit(.clean)
        #expect(host.batches == [[.clean]] && host.pendingEvents == [.trigger])
        host.resume(.keyboard)
        #expect(host.plans.map(\.plugin.identifier) == [.keyboard, .app, .keyboard])
    }

    @Test func `the summary of an extension is paused while its main plugin is, without a pause of its own`() throws {
        func summary(_ plugin: PluginIdentifier) throws -> PluginSummary {
            try #require(host.scheduler.summary(of: plugin))
        }
        host.pause(.app)
        #expect(try summary(.keyboard).isPaused && summary(.keyboard).pause == nil)
        #expect(try summary(.app).isPaused && summary(.app).pause != nil)
        host.resume(.app)
        #expect(try !summary(.keyboard).isPaused)
        host.pause(.keyboard)
        #expect(try summary(.keyboard).isPaused && !summary(.app).isPaused)
    }

    @Test func `a pause survives a restart of the host, and ends then if its time has passed meanwhile`() {
        host.pause(.app)
        host.pause(.mail, until: host.clock.now.wall + .hours(1))
        host.submit(.clean)
        host.submit(.sweep, by: .plugin(.mail))
        host.restart(after: .minutes(1))
        #expect(host.plans.isEmpty && host.pending == [.clean, .sweep])
        host.restart(after: .hours(2))
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.sweep]])
        host.resume(.app)
        #expect(host.batches == [[.sweep], [.clean]])
    }

    @Test func `a pause survives an upgrade and a reinstallation of its plugin, and ends with a purge`() {
        host.pause(.app)
        host.install(.app(version: "9.0"))
        #expect(host.scheduler.pause(of: .app) != nil)
        host.remove(.app)
        host.install(.app())
        #expect(host.scheduler.pause(of: .app) != nil)
        host.remove(.app)
        host.purge(.app)
        #expect(host.scheduler.pause(of: .app) == nil && host.ledger.pauses.isEmpty)
    }

    @Test func `work of a paused plugin that is missing has both reasons, before and after a restart`() {
        host.pause(.app)
        host.submit(.clean)
        host.trigger(.keyboard)
        host.remove(.app)
        #expect(reasons(against: .clean).map(\.code) == ["plugin-missing", "plugin-paused"])
        #expect(host.scheduler.reasons(againstAllOf: .keyboard).map(\.code) == ["plugin-missing", "plugin-paused"])
        host.restart(after: .seconds(1))
        host.finishStarting()
        host.forgetThePast()
        #expect(reasons(against: .clean).map(\.code) == ["plugin-missing", "plugin-paused"])
        host.install(.app(extensions: [.keyboard]))
        #expect(reasons(against: .clean).map(\.code) == ["plugin-paused"] && host.plans.isEmpty)
        host.resume(.app)
        #expect(host.batches == [[.clean]] && host.plans.contains { $0.plugin.identifier == .keyboard })
    }

    @Test func `a pause hides no other reason of a request`() {
        host.pause(.app)
        host.change(power: false)
        host.submit(.clean, after: .hours(1), needsPower: true)
        host.install(.app(permitted: [.exact(.vacuum)], extensions: [.keyboard]))
        let codes = host.reasons(.clean).map(\.code)
        #expect(codes == ["plugin-paused", "identifier-not-permitted", "earliest-begin", "external-power"])
    }

    @Test func `an unknown plugin can be neither paused nor resumed, and resuming a running plugin changes nothing`() {
        let unknown: PluginIdentifier = "com.example.nobody"
        #expect(host.pause(unknown)?.refusal?.subReason == .pluginMissing)
        #expect(host.resume(unknown)?.refusal?.subReason == .pluginMissing)
        #expect(host.resume(.app) == .resumed(wasPaused: false) && host.entries(.pluginResumed).isEmpty)
    }

    @Test func `the requests of a schedule wait as one request while its plugin is paused`() {
        let host = SchedulerDriver(.app()) { configuration in
            configuration.plugins[.app, default: PluginPolicy()].schedules[.clean] = WorkSchedule(.every(.hours(1)))
        }
        host.pause(.app)
        host.advance(by: .hours(5))
        #expect(host.plans.isEmpty && host.pending == [.clean])
        host.resume(.app)
        #expect(host.batches == [[.clean]])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An extension submits for its main plugin and does nothing else")
struct ExtensionTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    private func launchExtension() -> LaunchPlan? {
        host.trigger()
        host.enter()
        return host.lastPlan
    }

    @Test(.proves(37)) func `its request launches the main plugin, without a registration of its own`() throws {
        let launch = try #require(launchExtension())
        let answer = host.submit(.clean, by: .plugin(.keyboard))
        #expect(answer?.plugin == .app)
        #expect(host.lastPlan?.plugin.identifier == .app && host.batches == [[.clean]])
        host.completeEvents(in: launch)
        host.runToTheEnd(host.lastPlan)
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves("C5")) func `its requests count in the main plugin's limits`() {
        host.submit(.feed, as: .refresh, after: .hours(1))
        #expect(host.submit(.headlines, as: .refresh, by: .plugin(.keyboard))?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C15")) func `what its main plugin's manifest does not permit is refused`() {
        for other: TaskIdentifier in ["com.example.app.keyboard.own", .sweep] {
            #expect(host.submit(other, by: .plugin(.keyboard))?.refusal?.subReason == .identifierNotPermitted)
        }
    }

    @Test(.proves(43)) func `it cancels what its main plugin has pending`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.cancel(.clean, of: .keyboard) == .cancelled(1))
    }

    @Test(.proves(36)) func `an extension that is disabled may not schedule`() throws {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard()) {
            $0.plugins[.keyboard, default: PluginPolicy()].isEnabled = false
        }
        let refusal = try #require(host.submit(.clean, by: .plugin(.keyboard))?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .submitterMayNotSchedule)
    }

    @Test(.proves("C14")) func `an extension whose main plugin was removed meanwhile is told so`() throws {
        _ = launchExtension()
        host.remove(.keyboard)
        host.remove(.app)
        let refusal = try #require(host.submit(.clean, by: .plugin(.keyboard))?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .pluginMissing)
        #expect(refusal.message.contains(PluginIdentifier.app.text))
    }

    @Test(.proves("C14")) func `an extension that its main plugin no longer lists is told so`() throws {
        _ = launchExtension()
        host.remove(.keyboard)
        host.install(.app(version: "2.0"))
        let refusal = try #require(host.submit(.clean, by: .plugin(.keyboard))?.refusal)
        #expect(refusal.code == .notPermitted && refusal.subReason == .notItsMainPlugin)
    }

    // MARK: Forged

    @Test func `BGT-ABI-11 a handler that it claims is refused and journaled, and registers nothing`() throws {
        host.trigger()
        host.enter(registering: [.clean, .sweep])
        let violations = host.entries(.violation)
        #expect(violations.count == 1)
        #expect(violations.first?.plugin == .keyboard && violations.first?.blame == .plugin)
        #expect(violations.first?.message.contains("BGT-ABI-11") == true)
        host.completeEvents()
        host.submit(.clean)
        #expect(host.lastPlan?.plugin.identifier == .app)
    }

    @Test func `BGT-ABI-08 a task of its main plugin that it completes goes on`() throws {
        host.submit(.clean)
        host.enter()
        let main = try #require(host.lastPlan)
        let launch = try #require(launchExtension())
        host.send(.completed(launch.number, main.tasks[0].id, .success))
        #expect(host.running == [.clean])
        #expect(host.entries(.violation).map(\.launch) == [launch.number])
        host.send(.completed(main.number, launch.tasks[0].id, .success))
        #expect(host.scheduler.runningLaunches.flatMap(\.unfinished).count == 2)
    }

    // MARK: What it waits for

    @Test(.proves("C13")) func `an event of an extension whose main plugin is gone says which one, and loses nothing`()
    {
        host.runners = .held
        host.trigger()
        host.remove(.keyboard)
        host.remove(.app)
        host.bringRunners()
        #expect(host.plans.isEmpty && host.pendingEvents == [.trigger])
        #expect(host.reasons("com.example.app.keyboard") == [.pluginMissing(.app), .pluginMissing(.keyboard)])
        host.install(.app(extensions: [.keyboard]))
        #expect(host.reasons("com.example.app.keyboard") == [.pluginMissing(.keyboard)])
        host.install(.keyboard())
        #expect(host.lastPlan?.plugin.identifier == .keyboard)
    }

    @Test(.proves("C13")) func `an extension that is there before its main plugin runs when that one comes`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard())
        host.runners = .held
        host.trigger()
        host.remove(.app)
        host.bringRunners()
        #expect(host.reasons("com.example.app.keyboard") == [.pluginMissing(.app)])
        host.install(.app(extensions: [.keyboard]))
        #expect(host.plans.contains { $0.plugin.identifier == .keyboard })
    }

    @Test(.proves("C13"))
    func `while its main plugin is disabled its events wait, and each that is disabled is a reason`() throws {
        host.runners = .held
        host.trigger()
        var configuration = host.configuration
        configuration.plugins[.app, default: PluginPolicy()].isEnabled = false
        #expect(try reasons(after: configuration) == [.pluginDisabled(.app)])
        configuration.plugins[.keyboard, default: PluginPolicy()].isEnabled = false
        #expect(try reasons(after: configuration) == [.pluginDisabled(.keyboard), .pluginDisabled(.app)])
    }

    /// The operator's word changes with the host's next start.
    private func reasons(after configuration: SchedulingConfiguration) throws -> [Reason] {
        var scheduler = Scheduler(
            configuration: configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        var actions = scheduler.handle(.catalogued(CatalogueChange(to: host.catalogue)), at: host.clock.now)
        for plugin in host.ledger.snapshot.pendingPlugins {
            actions += scheduler.handle(.loaded(host.ledger.work(of: plugin)), at: host.clock.now)
        }
        #expect(!actions.contains { if case .takeRunner(_, .app) = $0 { true } else { false } })
        return try #require(scheduler.waitingEvents(of: .keyboard, at: host.clock.now).first).reasons
    }

    @Test(.proves("C13"))
    func `why tells of an extension's first waiting event, and of the launch that has its events`() throws {
        host.trigger()
        let second = try #require(host.trigger()?.submission)
        let explanation = host.explain("com.example.app.keyboard")
        let launch = try #require(host.lastPlan).number
        #expect(explanation.plugin == .keyboard && explanation.states.count == 2)
        guard case .running(launch, _, _) = explanation.states[0],
            case .pending(let work, let reasons, _) = explanation.states[1]
        else { return #expect(Bool(false), "\(explanation.states)") }
        #expect(work.number == second && reasons == [.laneBusy(.event, launch)])
        #expect(host.explain("com.example.mail").states == [.unknown])
    }

    // MARK: Removed and changed

    @Test(.proves("C17")) func `an extension that is upgraded gets its events in the new version`() {
        host.runners = .held
        host.trigger()
        host.install(.keyboard(version: "2.0"))
        host.bringRunners()
        #expect(host.lastPlan?.plugin == .keyboard(version: "2.0"))
    }

    @Test(.proves("C17")) func `the events of a removed extension are kept 30 days, then dropped with a word`() throws {
        host.runners = .held
        let number = try #require(host.trigger()?.submission)
        host.remove(.keyboard)
        host.bringRunners()
        host.advance(by: .days(29))
        #expect(host.pendingEvents == [.trigger])
        host.advance(by: .days(2))
        #expect(host.pendingEvents.isEmpty)
        #expect(host.entries(.task(.abandoned)).map(\.submission) == [number])
    }

    @Test(.proves("C17")) func `an event on its way to the disk when its extension goes waits like the others`() {
        host.commits = .held
        host.trigger()
        host.remove(.keyboard)
        host.writeHeldCommits()
        #expect(host.lastAnswer?.submission != nil && host.pendingEvents == [.trigger])
        host.install(.keyboard())
        #expect(host.lastPlan?.plugin.identifier == .keyboard)
    }
}

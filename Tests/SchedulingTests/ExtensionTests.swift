// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An extension submits and cancels requests for its main plugin, and runs no tasks")
struct ExtensionTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    private func launchExtension() -> LaunchPlan? {
        host.trigger()
        host.enter()
        return host.lastPlan
    }

    @Test(.proves(37)) func `a request of an extension launches its main plugin`() throws {
        let launch = try #require(launchExtension())
        let answer = host.submit(.clean, by: .plugin(.keyboard))
        #expect(answer?.plugin == .app)
        #expect(host.lastPlan?.plugin.identifier == .app && host.batches == [[.clean]])
        host.completeEvents(in: launch)
        host.runToTheEnd(host.lastPlan)
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves("C5")) func `requests of an extension count against the limits of its main plugin`() {
        host.submit(.feed, as: .refresh, after: .hours(1))
        #expect(host.submit(.headlines, as: .refresh, by: .plugin(.keyboard))?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C15"))
    func `a submission by an extension is refused if its main plugin's manifest does not permit the identifier`() {
        for other: TaskIdentifier in ["com.example.app.keyboard.own", .sweep] {
            #expect(host.submit(other, by: .plugin(.keyboard))?.refusal?.subReason == .identifierNotPermitted)
        }
    }

    @Test(.proves(43)) func `an extension can cancel pending requests of its main plugin`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.cancel(.clean, of: .keyboard) == .cancelled(1))
    }

    @Test(.proves(36)) func `a submission by an extension that the operator disabled is refused`() throws {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard()) {
            $0.plugins[.keyboard, default: PluginPolicy()].isEnabled = false
        }
        let refusal = try #require(host.submit(.clean, by: .plugin(.keyboard))?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .submitterMayNotSchedule)
    }

    @Test(.proves("C14"))
    func `a submission by an extension whose main plugin was removed is refused as plugin missing`() throws {
        _ = launchExtension()
        host.remove(.keyboard)
        host.remove(.app)
        let refusal = try #require(host.submit(.clean, by: .plugin(.keyboard))?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .pluginMissing)
        #expect(refusal.message.contains(PluginIdentifier.app.text))
    }

    @Test(.proves("C14")) func `a submission by an extension that its main plugin no longer lists is refused`() throws {
        _ = launchExtension()
        host.remove(.keyboard)
        host.install(.app(version: "2.0"))
        let refusal = try #require(host.submit(.clean, by: .plugin(.keyboard))?.refusal)
        #expect(refusal.code == .notPermitted && refusal.subReason == .notItsMainPlugin)
    }

    // MARK: Forged messages

    @Test
    func `handlers registered by an extension are a violation (BGT-ABI-11), and requests launch the main plugin`()
        throws
    {
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

    @Test(.proves("BGT-ABI-08"))
    func `a completion of the main plugin's task by its extension is a violation without effect`() throws {
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

    // MARK: Reasons to wait

    @Test(.proves("C13"))
    func `if an extension and its main plugin are removed, its event stays pending and its reasons name both`() {
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

    @Test(.proves("C13")) func `an event of an extension runs when the missing main plugin is installed`() {
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
    func `an event whose extension and main plugin are disabled has one reason for each of them`() throws {
        host.runners = .held
        host.trigger()
        var configuration = host.configuration
        configuration.plugins[.app, default: PluginPolicy()].isEnabled = false
        #expect(try reasons(after: configuration) == [.pluginDisabled(.app)])
        configuration.plugins[.keyboard, default: PluginPolicy()].isEnabled = false
        #expect(try reasons(after: configuration) == [.pluginDisabled(.keyboard), .pluginDisabled(.app)])
    }

    /// The reasons of the first waiting event after a restart with a changed configuration.
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
        let containers = actions.compactMap {
            if case .takeRunner(_, let needed) = $0 { needed.container } else { nil }
        }
        #expect(!containers.contains(.app))
        return try #require(scheduler.waitingEvents(of: .keyboard, at: host.clock.now).first).reasons
    }

    @Test(.proves("C13"))
    func `an explanation of an extension contains its running launch and its waiting event`() throws {
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

    // MARK: Removal and change

    @Test(.proves("C17")) func `a pending event of an upgraded extension is delivered to the new version`() {
        host.runners = .held
        host.trigger()
        host.install(.keyboard(version: "2.0"))
        host.bringRunners()
        #expect(host.lastPlan?.plugin == .keyboard(version: "2.0"))
    }

    @Test(.proves("C17"))
    func `the events of a removed extension are kept for 30 days and then abandoned with a journal entry`() throws {
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

    @Test(.proves("C17"))
    func `an event whose extension is removed during its commit stays pending and is delivered later`() {
        host.commits = .held
        host.trigger()
        host.remove(.keyboard)
        host.writeHeldCommits()
        #expect(host.lastAnswer?.submission != nil && host.pendingEvents == [.trigger])
        host.install(.keyboard())
        #expect(host.lastPlan?.plugin.identifier == .keyboard)
    }
}

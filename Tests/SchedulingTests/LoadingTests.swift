// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A host answers before all pending work is loaded, and decides about a plugin after loading that plugin's work")
struct LoadingTests {
    let host = SchedulerDriver(.app(), .mail())

    /// Restarts the host with pending work of two plugins that is not loaded yet.
    private func restartUnloaded() {
        host.submit(.clean, after: .hours(1))
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.loads = .held
        host.restart()
    }

    @Test func `a submission to an unloaded plugin is answered when that plugin is loaded, before other plugins are`() {
        restartUnloaded()
        #expect(host.submit(.vacuum) == nil && host.heldLoads == [.app, .mail])
        host.bringNextLoad()
        #expect(host.lastAnswer?.submission != nil && host.heldLoads == [.mail])
    }

    @Test func `a submission to a plugin without pending work is answered at once after a restart`() {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.loads = .held
        host.restart()
        #expect(host.submit(.clean)?.submission != nil)
    }

    @Test func `a page of waiting work is partial until every plugin is loaded`() {
        restartUnloaded()
        let now = host.clock.now
        #expect(host.scheduler.waitingPage(after: nil, limit: 10, at: now).isPartial)
        host.bringLoads()
        let page = host.scheduler.waitingPage(after: nil, limit: 10, at: now)
        #expect(!page.isPartial && page.items.compactMap(\.work.identifier) == [.clean, .sweep])
    }

    @Test(.proves("C3"))
    func `a task left running is listed after a restart, on a partial page until its requeueing is on disk`() {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.restart()
        let early = host.scheduler.waitingPage(after: nil, limit: 10, at: host.clock.now)
        #expect(early.isPartial && early.items.compactMap(\.work.identifier) == [.clean])
        #expect(early.items.allSatisfy { $0.reasons.contains(.beingRecorded) })
        #expect(host.scheduler.pluginPage(after: nil, limit: 10).isPartial)
        host.runners = .held
        host.writeHeldCommits()
        let page = host.scheduler.waitingPage(after: nil, limit: 10, at: host.clock.now)
        #expect(!page.isPartial && page.items.compactMap(\.work.identifier) == [.clean])
        #expect(!host.scheduler.pluginPage(after: nil, limit: 10).isPartial)
    }

    @Test func `a requeueing that cannot be recorded makes only the lists partial that contain its task`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        host.restart()
        let now = host.clock.now
        func isPartial(_ filter: WorkFilter) -> Bool {
            host.scheduler.waitingPage(after: nil, limit: 10, matching: filter, at: now).isPartial
        }
        #expect(isPartial(WorkFilter()) && isPartial(WorkFilter(plugin: .app)))
        #expect(isPartial(WorkFilter(plugin: .app, kinds: [.processing])))
        #expect(isPartial(WorkFilter(kinds: [.processing])))
        #expect(!isPartial(WorkFilter(plugin: .mail)) && !isPartial(WorkFilter(plugin: .app, kinds: [.refresh])))
    }

    @Test func `a cancellation of an identifier that no installed plugin owns waits until every plugin is loaded`() {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.submit(.clean, after: .hours(1))
        host.remove(.mail)
        host.loads = .held
        host.restart()
        #expect(host.cancel(.sweep, of: nil) == nil)
        host.bringLoads()
        #expect(host.lastAnswer == .cancelled(1))
    }

    @Test func `a plugin whose work cannot be read is loaded again later and does not delay other plugins`() {
        restartUnloaded()
        host.send(.notLoaded(.app, message: "a row is damaged"))
        host.heldLoads.removeAll { $0 == .app }
        host.bringNextLoad()
        #expect(host.heldLoads.isEmpty)
        host.advance(by: .hours(1))
        #expect(host.running == [.sweep] && host.heldLoads == [.app])
        host.bringLoads()
        #expect(Set(host.running) == [.clean, .sweep])
    }

    @Test func `a continued submission that waits for a load is accepted although its launch ended meanwhile`() throws {
        let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard())
        host.submit(.clean, after: .hours(1))
        host.loads = .held
        host.restart()
        host.trigger()
        host.enter()
        let plan = try #require(host.lastPlan)
        #expect(plan.plugin.identifier == .keyboard)
        host.submitContinued(.album(1), by: .plugin(.keyboard), from: plan)
        host.end(plan, .exited(code: 0))
        host.bringLoads()
        #expect(host.lastAnswer?.submission != nil)
    }

    @Test func `a failed load is repeated after a delay, and then the waiting submission is answered`() {
        restartUnloaded()
        host.submit(.vacuum)
        host.failNextLoad()
        host.loads = .ready
        #expect(host.lastAnswer == nil)
        host.advance(by: host.configuration.hostRetryDelay)
        #expect(host.lastAnswer?.submission != nil)
    }

    @Test
    func `if the host stops before a load, a waiting cancellation and later calls fail, and requests stay pending`() {
        restartUnloaded()
        host.cancelAll(of: .app)
        host.stop()
        #expect(host.lastAnswer?.isNotRecorded == true)
        #expect(host.cancel(.sweep, of: .mail)?.isNotRecorded == true)
        #expect(host.requestRun(of: .clean)?.failureMessage?.contains("has not loaded the pending work") == true)
        #expect(host.ledger.requests.compactMap(\.request.identifier) == [.clean, .sweep])
    }

    @Test func `an extension runs when its main plugin is installed, before the main plugin's work is loaded`() {
        let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard())
        host.submit(.clean, after: .hours(1))
        host.remove(.app)
        host.loads = .held
        host.restart()
        host.trigger()
        #expect(host.plans.isEmpty)
        host.install(.studio(extensions: [.keyboard]))
        #expect(host.plans.map(\.plugin.identifier) == [.keyboard])
    }

    @Test func `a cancellation by an extension that is removed during the load applies to its main plugin`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard())
        host.submit(.clean, after: .hours(1))
        host.loads = .held
        host.restart()
        #expect(host.cancelAll(of: .keyboard) == nil)
        host.remove(.keyboard)
        host.purge(.keyboard)
        host.bringLoads()
        #expect(host.answers.values.contains(.cancelled(1)) && host.pending.isEmpty)
    }

    @Test func `a host that restarts while it loads keeps all pending requests`() {
        restartUnloaded()
        host.bringNextLoad()
        host.restart()
        host.bringLoads()
        #expect(host.pending == [.clean, .sweep])
    }

    @Test func `a submission that arrives before the catalogue is read is answered after the reading`() {
        host.scheduler = Scheduler(
            configuration: host.configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        (host.wake, host.catalogue) = ((nil, nil), Catalogue())
        #expect(host.submit(.clean) == nil)
        host.sendCatalogue()
        #expect(host.lastAnswer?.submission != nil)
    }

    @Test
    func `a submission before the catalogue is read is answered once its plugin is loaded, before other plugins are`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.scheduler = Scheduler(
            configuration: host.configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        (host.loads, host.wake, host.catalogue) = (.held, (nil, nil), Catalogue())
        host.submit(.vacuum)
        host.sendCatalogue()
        #expect(host.lastAnswer == nil && host.heldLoads == [.app, .mail])
        host.bringNextLoad()
        #expect(host.lastAnswer?.submission != nil)
    }

    @Test(.proves("C3"))
    func `the end of a task that the previous host left running is journaled only after the catalogue is read`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.enter()
        host.processes = [:]
        host.wake = (nil, nil)
        host.scheduler = Scheduler(
            configuration: host.configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        host.forgetThePast()
        host.send(.loaded(host.ledger.work(of: .app)))
        #expect(host.journal.isEmpty)
        host.send(.catalogued(CatalogueChange(to: host.catalogue)))
        #expect(host.outcomes(of: .clean) == [.interrupted])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A host answers before all pending work is loaded, and decides about a plugin only once its work is")
struct LoadingTests {
    let host = SchedulerDriver(.app(), .mail())

    /// The host comes back with loads held.
    private func restartUnloaded() {
        host.submit(.clean, after: .hours(1))
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.loads = .held
        host.restart()
    }

    @Test func `a submission to a plugin that is not loaded waits for that plugin alone`() {
        restartUnloaded()
        #expect(host.submit(.vacuum) == nil && host.heldLoads == [.app, .mail])
        host.bringNextLoad()
        #expect(host.lastAnswer?.submission != nil && host.heldLoads == [.mail])
    }

    @Test func `a plugin without pending work is decided about at once`() {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.loads = .held
        host.restart()
        #expect(host.submit(.clean)?.submission != nil)
    }

    @Test func `lists are partial until every plugin is loaded`() {
        restartUnloaded()
        let now = host.clock.now
        #expect(host.scheduler.waitingPage(after: nil, limit: 10, at: now).isPartial)
        host.bringLoads()
        let page = host.scheduler.waitingPage(after: nil, limit: 10, at: now)
        #expect(!page.isPartial && page.items.compactMap(\.work.identifier) == [.clean, .sweep])
    }

    @Test func `a cancellation of a name that no installed plugin owns waits until every plugin is loaded`() {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.submit(.clean, after: .hours(1))
        host.remove(.mail)
        host.loads = .held
        host.restart()
        #expect(host.cancel(.sweep, of: nil) == nil)
        host.bringLoads()
        #expect(host.lastAnswer == .cancelled(1))
    }

    @Test func `a plugin whose work cannot be read is tried again, and keeps no other from running`() {
        restartUnloaded()
        host.send(.notLoaded(.app, message: "a row is damaged"))
        host.heldLoads.removeAll { $0 == .app }
        host.bringNextLoad()
        #expect(host.heldLoads.isEmpty)
        host.loads = .ready
        host.advance(by: .hours(1))
        #expect(Set(host.running).isSuperset(of: [.clean, .sweep]))
    }

    @Test func `an event that comes before the first catalogue is answered after it`() {
        host.scheduler = Scheduler(
            configuration: host.configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        host.wake = (nil, nil)
        #expect(host.submit(.clean) == nil)
        host.send(.catalogued(host.installed))
        #expect(host.lastAnswer?.submission != nil)
    }
}

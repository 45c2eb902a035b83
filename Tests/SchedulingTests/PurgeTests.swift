// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A removed plugin is purged at a user's request, once none of its tasks runs", .proves("C17"))
struct PurgeTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test func `purging a plugin abandons its pending requests, each with a journal entry`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.vacuum, after: .hours(1))
        host.remove(.app)
        #expect(host.purge(.app) == .purged(2))
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty && host.ledger.known[.app] == nil)
        #expect(host.outcomes(of: .clean) == [.abandoned] && host.outcomes(of: .vacuum) == [.abandoned])
        host.advance(by: .days(31))
        #expect(host.outcomes(of: .clean) == [.abandoned])
        host.install(.app())
        #expect(host.entries(.pluginInstalled).count == 1 && host.batches.isEmpty)
    }

    @Test func `a plugin that is installed or whose manifest is refused is not purged`() {
        host.submit(.clean, after: .hours(1))
        #expect(host.purge(.app)?.obstacle?.contains("is installed; remove it first") == true)
        host.refuse(.app, because: "line 3 is wrong")
        #expect(host.purge(.app)?.obstacle?.contains("is refused, but its manifest is installed; remove it") == true)
        #expect(host.pending == [.clean])
    }

    @Test func `a plugin with a running task is purged only after the task has ended`() {
        host.submit(.clean)
        host.enter()
        host.remove(.app)
        #expect(host.purge(.app)?.obstacle?.contains("still runs") == true)
        host.complete(.clean)
        host.exit()
        #expect(host.purge(.app) == .purged(0))
    }

    @Test func `a purge whose commit fails keeps the pending request and the container, and can be repeated`() {
        host.submit(.clean, after: .hours(1))
        host.remove(.app)
        host.commits = .failing
        #expect(host.purge(.app)?.isNotRecorded == true && host.pending == [.clean] && host.discarded.isEmpty)
        host.commits = .written
        #expect(host.purge(.app) == .purged(1))
    }

    @Test func `purging an unknown plugin discards its container`() {
        host.remove(.mail)
        #expect(host.purge(.mail) == .purged(0) && host.discarded == [.mail])
        #expect(host.purge(.mail) == .purged(nil) && host.discarded == [.mail, .mail])
    }

    @Test(.proves("C7"))
    func `the use of a purged plugin is kept while it affects the day budget or the assignment of free capacity`() {
        func usesKept(after work: (SchedulerDriver) -> Void) -> Set<PluginIdentifier> {
            let host = SchedulerDriver(.app())
            work(host)
            host.remove(.app)
            host.purge(.app)
            return Set(host.scheduler.usesOfUninstalled.keys)
        }
        #expect(usesKept { _ in }.isEmpty)
        #expect(
            usesKept { host in
                host.submit(.clean)
                host.enter()
                host.advance(by: .minutes(1))
                host.complete(.clean)
            } == [.app]
        )
        #expect(
            usesKept { host in
                host.submit(.clean, after: .hours(1))
                host.requestRun(of: .clean)
                host.runToTheEnd()
                host.advance(by: .days(2))
            } == [.app]
        )
        #expect(
            usesKept { host in
                host.submit(.clean)
                host.enter()
                host.advance(by: .minutes(1))
                host.complete(.clean)
                host.advance(by: .days(2))
            }.isEmpty
        )
    }

    @Test(.proves("C7")) func `a plugin that is purged and installed again keeps the spacing after its last launch`() {
        let host = SchedulerDriver(.app()) { $0.spacing = .minutes(5) }
        host.submit(.clean)
        host.runToTheEnd()
        let until = host.clock.now.monotonic + .minutes(5)
        host.remove(.app)
        host.purge(.app)
        host.install(.app())
        host.submit(.clean)
        #expect(host.reasons(.clean) == [.spacing(until: until)])
    }
}

extension SchedulerDriver {
    fileprivate var discarded: [PluginIdentifier] {
        actions.compactMap { if case .discardContainer(let plugin) = $0 { plugin } else { nil } }
    }
}

extension Answer {
    fileprivate var obstacle: String? {
        if case .notPurged(let message) = self { message } else { nil }
    }
}

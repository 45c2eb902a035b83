// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("What a removed plugin had pending is kept for thirty days")
struct RemovalTests {
    /// How long the wall clock must go on saying so.
    private static let doubt = SchedulingConfiguration().clockDoubt

    let host = SchedulerDriver(.app(), .mail())

    init() {
        host.submit(.clean, after: .hours(1))
    }

    @Test(.proves("C17")) func `the requests of a removed plugin wait with that reason`() {
        host.remove(.app)
        host.advance(by: .days(2))
        #expect(host.pending == [.clean] && host.plans.isEmpty)
        #expect(host.reasons(.clean) == [.pluginMissing(.app)])
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app])
    }

    @Test(.proves("C17")) func `they run when it is back`() {
        host.remove(.app)
        host.advance(by: .days(29))
        host.install(.app())
        #expect(host.batches == [[.clean]])
        #expect(host.entries(.pluginInstalled).count == 1)
    }

    @Test(.proves("C17")) func `a manifest that breaks is told from one that is gone, and mended it is no new plugin`()
    {
        host.refuse(.app, because: "line 3 is wrong")
        #expect(host.reasons(.clean).first == .pluginRefused(.app, problem: "line 3 is wrong"))
        #expect(host.entries(.pluginRefused).map(\.plugin) == [.app] && host.entries(.pluginRemoved).isEmpty)
        host.refuse(.app, because: "line 4 is wrong")
        #expect(host.reasons(.clean).first == .pluginRefused(.app, problem: "line 4 is wrong"))
        host.advance(by: .hours(1))
        host.install(.app())
        #expect(host.entries(.pluginChanged).count == 1 && host.entries(.pluginInstalled).isEmpty)
        #expect(host.batches == [[.clean]])
        host.remove(.app)
        host.install(.app())
        #expect(host.entries(.pluginInstalled).count == 1)
    }

    @Test(.proves("C17")) func `a broken manifest that is then removed leaves a missing plugin`() {
        host.refuse(.app, because: "line 3 is wrong")
        host.remove(.app)
        #expect(host.reasons(.clean).first == .pluginMissing(.app))
        #expect(host.entries(.pluginRefused).count == 1 && host.entries(.pluginRemoved).count == 1)
        host.install(.app())
        #expect(host.entries(.pluginInstalled).count == 1)
    }

    @Test(.proves("C17"))
    func `a manifest of nobody's that is refused is journaled once, and again when it says something else`() {
        host.refuse(.keyboard, because: "line 3 is wrong")
        host.refuse(.keyboard, because: "line 3 is wrong")
        let told = host.entries(.pluginRefused)
        #expect(told.map(\.plugin) == [.keyboard] && told[0].message == "its manifest is refused: line 3 is wrong")
        host.refuse(.keyboard, because: "line 4 is wrong")
        #expect(host.entries(.pluginRefused).count == 2)
        host.remove(.keyboard)
        host.refuse(.keyboard, because: "line 4 is wrong")
        #expect(host.entries(.pluginRefused).count == 3)
    }

    @Test(.proves("C17"))
    func `a second manifest of a plugin's identifier is journaled, and takes nothing from the first`() {
        host.refuse(.app, because: "the name is taken", besidesItsOwn: true)
        #expect(host.entries(.pluginRefused).map(\.plugin) == [.app])
        #expect(host.entries(.pluginRefused).first?.message.contains("changes nothing: the name is taken") == true)
        #expect(host.reasons(.clean).allSatisfy { $0 != .pluginMissing(.app) })
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C17")) func `after thirty days they are dropped, and the journal says so`() {
        host.remove(.app)
        host.advance(by: .days(30) - .nanoseconds(1))
        #expect(host.pending == [.clean])
        host.advance(by: .nanoseconds(1) + Self.doubt)
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        #expect(host.outcomes(of: .clean) == [.abandoned])
        #expect(host.ledger.known[.app] == nil)
    }

    @Test(.proves("C17")) func `the thirty days go on while the host is down`() {
        host.remove(.app)
        host.restart(after: .days(31))
        host.advance(by: Self.doubt)
        #expect(host.pending.isEmpty)
        #expect(host.outcomes(of: .clean) == [.abandoned])
    }

    @Test(.proves("C17")) func `a plugin that went while the host was down is missed from its start on`() {
        host.restart(after: .days(31), with: [.mail()])
        #expect(host.pending == [.clean])
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app])
        host.advance(by: .days(30) + Self.doubt)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C17")) func `a second removal counts from its own day, and is not forgotten`() {
        host.submit(.clean, after: .days(100))
        host.remove(.app)
        host.advance(by: .days(10))
        host.install(.app())
        host.finishStarting()
        host.advance(by: .days(10))
        host.remove(.app)
        host.advance(by: .days(30) + Self.doubt - .nanoseconds(1))
        #expect(host.pending == [.clean])
        host.advance(by: .nanoseconds(1))
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C17")) func `a task that runs when its plugin goes finishes, and returns to wait when interrupted`()
    {
        host.advance(by: .hours(1))
        host.enter()
        host.remove(.app)
        #expect(host.running == [.clean])
        host.crash()
        #expect(host.pending == [.clean])
        #expect(host.reasons(.clean).contains(.pluginMissing(.app)))
    }

    @Test(.proves("C17")) func `what is still running on the thirtieth day is dropped once it is back`() {
        host.advance(by: .hours(1))
        host.processesObey = false
        host.remove(.app)
        host.advance(by: .days(30))
        host.end(nil, .signaled(9))
        host.advance(by: .days(1))
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        #expect(host.outcomes(of: .clean).last == .abandoned)
    }

    @Test(.proves("C17")) func `nothing new is accepted for it`() {
        host.remove(.app)
        #expect(host.submit(.vacuum)?.refusal?.code == .notPermitted)
        #expect(host.cancel(.clean, of: nil) == .cancelled(1))
    }

    @Test(.proves("C17")) func `a plugin that comes back while its requests are dropped starts without them`() {
        host.remove(.app)
        host.advance(by: .days(30) + Self.doubt - .seconds(1))
        host.commits = .held
        host.advance(by: .seconds(1))
        #expect(host.heldCommits.count == 1)
        host.install(.app())
        host.writeHeldCommits()
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        #expect(host.ledger.known[.app] == KnownPlugin(.app()))
        host.finishStarting()
        #expect(host.submit(.clean)?.submission != nil && host.batches == [[.clean]])
    }

    @Test(.proves("C17")) func `what it submits when it is back is not dropped with what it had before`() {
        host.remove(.app)
        host.advance(by: .days(30) + Self.doubt - .seconds(1))
        host.commits = .held
        host.advance(by: .seconds(1))
        host.install(.app())
        host.submit(.vacuum, after: .hours(1))
        host.remove(.app)
        host.writeHeldCommits()
        #expect(host.pending == [.vacuum])
        #expect(host.ledger.requests.map(\.request.identifier) == [.vacuum])
        #expect(host.ledger.known[.app]?.missingSince != nil)
    }

    @Test(.proves("C17")) func `while its requests are dropped they cannot be cancelled a second time`() {
        host.remove(.app)
        host.advance(by: .days(30) + Self.doubt - .seconds(1))
        host.commits = .held
        host.advance(by: .seconds(1))
        host.cancel(.clean, of: nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(0))
        #expect(host.entries(.cancelled).isEmpty)
    }

    @Test(.proves("C17")) func `dropping is tried again when it cannot be recorded`() {
        host.remove(.app)
        host.advance(by: .days(30) + Self.doubt - .seconds(1))
        host.commits = .failing
        host.advance(by: .seconds(2))
        #expect(host.pending == [.clean])
        host.commits = .written
        host.advance(by: .seconds(2))
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
    }

    @Test(.proves("C17")) func `a removal that cannot be recorded is tried again, and true only then`() {
        host.commits = .failing
        host.remove(.app)
        host.commits = .written
        #expect(host.entries(.pluginRemoved).isEmpty)
        host.advance(by: .seconds(2))
        #expect(host.entries(.pluginRemoved).count == 1)
        #expect(host.ledger.known[.app]?.missingSince != nil)
    }

    @Test(.proves("C17")) func `a plugin removed while its arrival is recorded is missed after that`() {
        host.commits = .held
        host.install(.app(version: "2.0"))
        host.remove(.app)
        host.writeHeldCommits()
        #expect(host.entries(.pluginRemoved).count == 1)
        #expect(host.ledger.known[.app]?.missingSince == host.clock.now.wall)
        #expect(host.plans.isEmpty)
    }

    @Test(.proves("C17")) func `a plugin that is back while its leave is recorded is welcomed after that`() {
        host.commits = .held
        host.remove(.app)
        host.install(.app())
        host.writeHeldCommits()
        #expect(host.ledger.known[.app] == KnownPlugin(.app()))
        #expect(host.entries(.pluginRemoved).count == 1 && host.entries(.pluginInstalled).count == 1)
    }

    @Test(.proves("C17")) func `how long they are kept is configuration`() {
        let host = SchedulerDriver(.app()) { $0.removedPluginRetention = .days(2) }
        host.submit(.clean, after: .hours(1))
        host.remove(.app)
        #expect(host.entries(.pluginRemoved).first?.message.contains("2d") == true)
        host.advance(by: .days(2) + Self.doubt)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C10")) func `a host that starts with a clock a year ahead drops nothing, if it is right in time`() {
        host.remove(.app)
        host.stepWallClock(by: .days(365))
        host.restart(after: .seconds(1))
        host.advance(by: Self.doubt - .seconds(1))
        host.stepWallClock(by: .days(-365))
        host.advance(by: .days(29))
        #expect(host.pending == [.clean])
        host.install(.app())
        host.finishStarting()
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C10")) func `nor does a clock that jumps ahead and back while the host runs`() {
        host.remove(.app)
        for _ in 1...3 {
            host.stepWallClock(by: .days(365))
            host.advance(by: Self.doubt - .seconds(1))
            host.stepWallClock(by: .days(-365))
            host.advance(by: Self.doubt)
        }
        #expect(host.pending == [.clean])
        host.advance(by: .days(30))
        #expect(host.pending.isEmpty && host.outcomes(of: .clean) == [.abandoned])
    }

    @Test(.proves("C10")) func `a clock that goes on saying so is believed, once`() {
        host.remove(.app)
        host.stepWallClock(by: .days(365))
        host.advance(by: Self.doubt)
        #expect(host.pending.isEmpty && host.outcomes(of: .clean) == [.abandoned])
    }

    @Test(.proves("C10")) func `a doubt is over when the plugin is back, and begins anew with its next removal`() {
        host.submit(.clean, after: .days(400))
        host.remove(.app)
        host.stepWallClock(by: .days(31))
        host.advance(by: .minutes(5))
        host.install(.app())
        host.finishStarting()
        host.remove(.app)
        host.advance(by: .days(1))
        host.stepWallClock(by: .days(31))
        host.advance(by: .minutes(5))
        #expect(host.pending == [.clean])
        host.advance(by: .minutes(5))
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C17"))
    func `a plugin that is refused and removed before its change is recorded is journaled as removed once`() {
        host.commits = .held
        host.install(.app(version: "2.0"))
        host.refuse(.app, because: "line 3 is wrong")
        host.remove(.app)
        host.writeHeldCommits()
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app])
    }

    @Test(.proves("C17")) func `a plugin that is refused while its removal is recorded is journaled as removed once`() {
        host.commits = .held
        host.remove(.app)
        host.refuse(.app, because: "line 3 is wrong")
        host.writeHeldCommits()
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app] && host.entries(.pluginRefused).isEmpty)
    }

    @Test(.proves("C17")) func `a request under an identifier that another plugin owns is found until it is cancelled`()
    {
        host.install(.app(version: "2.0", permitted: [.exact(.vacuum)]))
        #expect(host.scheduler.strays.keys.sorted() == [.clean])
        #expect(host.explain(.clean).plugin == .app)
        host.cancel(.clean)
        #expect(host.scheduler.strays.isEmpty && host.explain(.clean).plugin == nil)
    }

    @Test(.proves("C17")) func `the removal of a plugin is not journaled again by the next host`() {
        host.remove(.app)
        host.advance(by: .hours(1))
        host.forgetThePast()
        host.restart()
        #expect(host.entries(.pluginRemoved).isEmpty)
    }

    @Test(.proves("C17")) func `the requests of a removed plugin are kept while a continued task of it runs`() {
        let host = SchedulerDriver(.studio()) { $0.stallLimit = .days(365) }
        host.submit(.clean, after: .days(100))
        host.submitContinued(.album(1))
        host.enter()
        host.remove(.app)
        host.advance(by: .days(31))
        #expect(host.pending == [.clean] && host.running == [.album(1)])
        host.complete(.album(1))
        host.advance(by: Self.doubt)
        #expect(host.pending.isEmpty)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Pending requests of a removed plugin are kept for thirty days")
struct RemovalTests {
    /// Time for which the wall clock must have been past the retention before requests are dropped.
    private static let doubt = SchedulingConfiguration().clockDoubt

    let host = SchedulerDriver(.app(), .mail())

    init() {
        host.submit(.clean, after: .hours(1))
    }

    @Test(.proves("C17")) func `the requests of a removed plugin wait with reason plugin-missing`() {
        host.remove(.app)
        host.advance(by: .days(2))
        #expect(host.pending == [.clean] && host.plans.isEmpty)
        #expect(host.reasons(.clean) == [.pluginMissing(.app)])
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app])
    }

    @Test(.proves("C17")) func `the requests of a removed plugin run when the plugin is installed again`() {
        host.remove(.app)
        host.advance(by: .days(29))
        host.install(.app())
        #expect(host.batches == [[.clean]])
        #expect(host.entries(.pluginInstalled).count == 1)
    }

    @Test(.proves("C17"), arguments: [true, false])
    func `requests are dropped at the end of their retention although a cancellation is being committed then`(
        isWritten: Bool
    ) {
        host.submit(.vacuum, after: .hours(1))
        host.remove(.app)
        host.commits = .held
        host.cancel(.clean, of: .app)
        host.advance(by: .days(30) + Self.doubt)
        if !isWritten { host.failNextCommit() }
        host.writeHeldCommits()
        host.advance(by: Self.doubt)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C17"))
    func `a refused manifest is journaled as refused, not as removed, and its later acceptance as a change`() {
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

    @Test(.proves("C17"))
    func `the requests of a plugin whose refused manifest is removed wait with reason plugin-missing`() {
        host.refuse(.app, because: "line 3 is wrong")
        host.advance(by: .days(3))
        host.remove(.app)
        #expect(host.entries(.pluginRemoved).first?.message.contains("are kept for 27d") == true)
        #expect(host.reasons(.clean).first == .pluginMissing(.app))
        #expect(host.entries(.pluginRefused).count == 1 && host.entries(.pluginRemoved).count == 1)
        host.install(.app())
        #expect(host.entries(.pluginInstalled).count == 1)
    }

    @Test(.proves("C17")) func `a refused manifest of an unknown plugin is journaled once for each problem`() {
        host.refuse(.keyboard, because: "line 3 is wrong")
        host.refuse(.keyboard, because: "line 3 is wrong")
        let reported = host.entries(.pluginRefused)
        #expect(
            reported.map(\.plugin) == [.keyboard]
                && reported[0].message == "the plugin is refused: line 3 is wrong"
        )
        host.refuse(.keyboard, because: "line 4 is wrong")
        #expect(host.entries(.pluginRefused).count == 2)
        host.remove(.keyboard)
        host.refuse(.keyboard, because: "line 4 is wrong")
        #expect(host.entries(.pluginRefused).count == 3)
    }

    @Test(.proves("C17"))
    func `a refused second manifest of a plugin is journaled and leaves the first one in effect`() {
        host.refuse(.app, because: "the name is taken", besidesItsOwn: true)
        #expect(host.entries(.pluginRefused).map(\.plugin) == [.app])
        #expect(host.entries(.pluginRefused).first?.message.contains("stays in force: the name is taken") == true)
        #expect(host.reasons(.clean).allSatisfy { $0 != .pluginMissing(.app) })
        host.advance(by: .hours(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C17"))
    func `the requests of a removed plugin are abandoned after thirty days with a journal entry`() {
        host.remove(.app)
        host.advance(by: .days(30) - .nanoseconds(1))
        #expect(host.pending == [.clean])
        host.advance(by: .nanoseconds(1) + Self.doubt)
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        #expect(host.outcomes(of: .clean) == [.abandoned])
        #expect(host.ledger.known[.app] == nil)
    }

    @Test(.proves("C17"))
    func `the thirty-day retention of a removed plugin's requests continues while the host is down`() {
        host.remove(.app)
        host.restart(after: .days(31))
        host.advance(by: Self.doubt)
        #expect(host.pending.isEmpty)
        #expect(host.outcomes(of: .clean) == [.abandoned])
    }

    @Test(.proves("C17"))
    func `the thirty-day retention of a plugin removed while the host was down begins at the next host start`() {
        host.restart(after: .days(31), with: [.mail()])
        #expect(host.pending == [.clean])
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app])
        host.advance(by: .days(30) + Self.doubt)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C17")) func `the thirty-day retention of requests begins anew with the second removal of a plugin`()
    {
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

    @Test(.proves("C17"))
    func `a running task of a removed plugin continues, and waits for the plugin when it is interrupted`() {
        host.advance(by: .hours(1))
        host.enter()
        host.remove(.app)
        #expect(host.running == [.clean])
        host.crash()
        #expect(host.pending == [.clean])
        #expect(host.reasons(.clean).contains(.pluginMissing(.app)))
    }

    @Test(.proves("C17"))
    func `a task of a removed plugin that still runs on the thirtieth day is abandoned after it is interrupted`() {
        host.advance(by: .hours(1))
        host.processesObey = false
        host.remove(.app)
        host.advance(by: .days(30))
        host.end(nil, .signaled(9))
        host.advance(by: .days(1))
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        #expect(host.outcomes(of: .clean).last == .abandoned)
    }

    @Test(.proves("C17"))
    func `a submission to a removed plugin is refused, and its pending request can be cancelled`() {
        host.remove(.app)
        #expect(host.submit(.vacuum)?.refusal?.code == .notPermitted)
        #expect(host.cancel(.clean, of: nil) == .cancelled(1))
    }

    @Test(.proves("C17")) func `a plugin installed during the commit that drops its requests starts without them`() {
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

    @Test(.proves("C17"))
    func `a request submitted during the commit that drops older requests of its plugin is kept`() {
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

    @Test(.proves("C17")) func `a request cannot be cancelled during the commit that drops it`() {
        host.remove(.app)
        host.advance(by: .days(30) + Self.doubt - .seconds(1))
        host.commits = .held
        host.advance(by: .seconds(1))
        host.cancel(.clean, of: nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(0))
        #expect(host.entries(.cancelled).isEmpty)
    }

    @Test(.proves("C17"))
    func `after a failed commit, the requests of a removed plugin are dropped at the next attempt`() {
        host.remove(.app)
        host.advance(by: .days(30) + Self.doubt - .seconds(1))
        host.commits = .failing
        host.advance(by: .seconds(2))
        #expect(host.pending == [.clean])
        host.commits = .written
        host.advance(by: .seconds(2))
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
    }

    @Test(.proves("C17")) func `a removal whose commit fails is journaled after the retry, not before`() {
        host.commits = .failing
        host.remove(.app)
        host.commits = .written
        #expect(host.entries(.pluginRemoved).isEmpty)
        host.advance(by: .seconds(2))
        #expect(host.entries(.pluginRemoved).count == 1)
        #expect(host.ledger.known[.app]?.missingSince != nil)
    }

    @Test(.proves("C17"))
    func `a plugin removed during the commit of its change is marked missing after that commit`() {
        host.commits = .held
        host.install(.app(version: "2.0"))
        host.remove(.app)
        host.writeHeldCommits()
        #expect(host.entries(.pluginRemoved).count == 1)
        #expect(host.ledger.known[.app]?.missingSince == host.clock.now.wall)
        #expect(host.plans.isEmpty)
    }

    @Test(.proves("C17"))
    func `a plugin installed again during the commit of its removal is journaled as removed and installed`() {
        host.commits = .held
        host.remove(.app)
        host.install(.app())
        host.writeHeldCommits()
        #expect(host.ledger.known[.app] == KnownPlugin(.app()))
        #expect(host.entries(.pluginRemoved).count == 1 && host.entries(.pluginInstalled).count == 1)
    }

    @Test(.proves("C17")) func `the retention of a removed plugin's requests is configurable`() {
        let host = SchedulerDriver(.app()) { $0.removedPluginRetention = .days(2) }
        host.submit(.clean, after: .hours(1))
        host.remove(.app)
        #expect(host.entries(.pluginRemoved).first?.message.contains("2d") == true)
        host.advance(by: .days(2) + Self.doubt)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C10"))
    func `a clock a year ahead at host start, corrected within ten minutes, drops no removed plugin's requests`() {
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

    @Test(.proves("C10"))
    func `clock steps a year ahead, each soon undone, do not drop the requests of a removed plugin`() {
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

    @Test(.proves("C10"))
    func `the requests of a removed plugin are dropped when the clock stays a year ahead for ten minutes`() {
        host.remove(.app)
        host.stepWallClock(by: .days(365))
        host.advance(by: Self.doubt)
        #expect(host.pending.isEmpty && host.outcomes(of: .clean) == [.abandoned])
    }

    @Test(.proves("C10"))
    func `after a plugin's second removal, ten minutes must pass again before a step of the clock drops requests`() {
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
    func `a plugin whose manifest is refused and then removed during a commit is journaled as removed once`() {
        host.commits = .held
        host.install(.app(version: "2.0"))
        host.refuse(.app, because: "line 3 is wrong")
        host.remove(.app)
        host.writeHeldCommits()
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app])
    }

    @Test(.proves("C17"))
    func `a plugin whose manifest is refused while its removal is committed is journaled as removed, not as refused`() {
        host.commits = .held
        host.remove(.app)
        host.refuse(.app, because: "line 3 is wrong")
        host.writeHeldCommits()
        #expect(host.entries(.pluginRemoved).map(\.plugin) == [.app] && host.entries(.pluginRefused).isEmpty)
    }

    @Test(.proves("C17"))
    func `a pending request that no manifest permits is explained with its plugin until its cancellation`() {
        host.install(.app(version: "2.0", permitted: [.exact(.vacuum)]))
        #expect(host.scheduler.strays.keys.sorted() == [.clean])
        #expect(host.explain(.clean).plugin == .app)
        host.cancel(.clean)
        #expect(host.scheduler.strays.isEmpty && host.explain(.clean).plugin == nil)
    }

    @Test(.proves("C17")) func `a removal is not journaled again after a restart`() {
        host.remove(.app)
        host.advance(by: .hours(1))
        host.forgetThePast()
        host.restart()
        #expect(host.entries(.pluginRemoved).isEmpty)
    }

    @Test(.proves("C17")) func `the requests of a removed plugin are kept while one of its continued tasks runs`() {
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

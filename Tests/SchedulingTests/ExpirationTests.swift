// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A task expires once, with a reason, and then has a grace period")
struct ExpirationTests {
    let host = SchedulerDriver(.app())

    init() {
        host.submit(.feed, as: .refresh)
        host.enter()
    }

    @Test(.proves(57))
    func `an expired task without an expiration handler ends as expired at the end of the grace period`() {
        host.advance(by: .seconds(30))
        #expect(host.outcomes(of: .feed).isEmpty)
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .feed) == [.expired])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(58)) func `the deadline of the budget expires an unfinished task`() {
        host.setExpirationHandler(for: .feed)
        host.advance(by: .seconds(30))
        #expect(host.expirations.map(\.reason) == [.budget])
        #expect(host.killed.isEmpty)
    }

    @Test(.proves(58)) func `a task completed within the grace period keeps its reported outcome`() throws {
        host.setExpirationHandler(for: .feed)
        host.advance(by: .seconds(34))
        host.complete(.feed, as: .failure)
        #expect(host.outcomes(of: .feed) == [.failed])
        #expect(host.launchOutcomes == [.expired])
        #expect(host.killed.isEmpty)
        #expect(try #require(host.lastEntry(of: .feed)).message.contains("budget used up"))
    }

    @Test(.proves(59))
    func `a task with an expiration handler that is open at the end of the grace period is an overrun and killed`() {
        host.setExpirationHandler(for: .feed)
        host.advance(by: .seconds(35))
        #expect(host.killed.count == 1)
        #expect(host.outcomes(of: .feed) == [.overran])
        #expect(host.launchOutcomes == [.overran])
        #expect(host.lastEntry(of: .feed)?.blame == .plugin)
    }

    @Test(.proves(56))
    func `a task open at the end of the grace period ends as expired if its expiration handler was removed`() {
        host.setExpirationHandler(for: .feed)
        host.setExpirationHandler(for: .feed, to: false)
        host.advance(by: .seconds(35))
        #expect(host.outcomes(of: .feed) == [.expired])
    }

    @Test(.proves(60))
    func `the first expiration reason stays, and a later one neither expires the task again nor delays the kill`() {
        host.simulateExpiration(of: .feed)
        host.advance(by: .seconds(4))
        host.stop()
        #expect(host.expirations.map(\.reason) == [.budget])
        host.advance(by: .seconds(1))
        #expect(host.killed.count == 1)
        #expect(host.outcomes(of: .feed) == [.expired])
    }

    @Test(.proves("C3")) func `a task that crashes after its budget expired is not requeued`() {
        host.advance(by: .seconds(31))
        host.crash()
        #expect(host.outcomes(of: .feed) == [.crashed])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C3")) func `an expired task is not requeued when its process is killed for memory`() {
        host.advance(by: .seconds(31))
        host.runOutOfMemory()
        #expect(host.outcomes(of: .feed) == [.killedForMemory])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C3"))
    func `an expired task whose launch the host fails is not requeued, and is journaled with blame host and a remedy`()
        throws
    {
        host.advance(by: .seconds(31))
        host.send(.launchFailedByHost(try #require(host.lastPlan).number, message: "no descriptors"))
        let entry = try #require(host.entries(.task(.interrupted)).last)
        #expect(host.outcomes(of: .feed) == [.interrupted] && host.pending.isEmpty)
        #expect(entry.blame == .host && entry.message.hasSuffix("no descriptors; not requeued; submit again"))
    }

    @Test(.proves(58)) func `a task that the runner expired by its own timer is not requeued after a crash`() throws {
        let plan = try #require(host.lastPlan)
        host.advance(by: .seconds(30) - .milliseconds(1))
        host.send(.runnerExpired(plan.number, plan.tasks.map(\.id), .budget))
        host.crash()
        #expect(host.outcomes(of: .feed) == [.crashed])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(58)) func `an expiration reported by the runner does not delay the kill`() throws {
        let plan = try #require(host.lastPlan)
        host.advance(by: .seconds(33))
        host.send(.runnerExpired(plan.number, plan.tasks.map(\.id), .budget))
        host.advance(by: .seconds(2))
        #expect(host.killed.count == 1)
    }

    @Test(.proves(58))
    func `a deadline that passes inside entry expires the task when entry returns, without delaying the kill`() {
        host.complete(.feed)
        host.advance(by: .seconds(1))
        host.forgetThePast()
        host.submit(.feed, as: .refresh)
        host.advance(by: .seconds(32))
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.tasks) == [[.feed]])
        host.advance(by: .seconds(3))
        #expect(host.killed.count == 1)
        #expect(host.outcomes(of: .feed) == [.expired])
    }

    @Test(.proves(58)) func `a failing ledger does not delay a kill`() {
        let host = SchedulerDriver(.app()) { $0.hostRetryDelay = .hours(1) }
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.commits = .failing
        host.complete(.clean)
        host.advance(by: .minutes(10) + .seconds(5))
        #expect(host.killed.count == 1)
    }
}

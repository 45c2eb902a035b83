// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A push waits like a request, one for each plugin, and is delivered as an event", .proves(85, "C21"))
struct PushTests {
    private let host = SchedulerDriver(.pushed())

    @Test func `a push launches its plugin in the background lane with the budget of pushes`() throws {
        let answer = host.push(payload: [1, 2])
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .background && plan.cause == .due && plan.budget.total == .seconds(30))
        #expect(plan.tasks.map(\.work.kind) == [.push])
        #expect(answer?.pushResult == .stored(replacing: nil))
    }

    @Test func `a push is answered after its commit, with its payload stored`() throws {
        host.commits = .held
        #expect(host.push(payload: [7]) == nil)
        host.writeNextCommit()
        let number = try #require(host.lastAnswer?.submission)
        #expect(host.ledger.payload(of: number) == [7])
    }

    @Test(arguments: [
        (CompletionOutcome.success, TaskOutcome.succeeded), (.noData, .noData), (.failure, .failed),
    ])
    func `a delivered push ends with the plugin's result`(reported: CompletionOutcome, outcome: TaskOutcome) {
        host.push()
        host.enter(registering: [])
        host.complete(.appPush, as: reported)
        #expect(host.outcomes(of: .appPush) == [outcome])
    }

    @Test func `a push that is not completed in 30 seconds expires, and its launch is killed after the grace period`() {
        host.push()
        host.enter(registering: [])
        host.setExpirationHandler(for: .appPush)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.expirations.map(\.reason) == [.budget] && host.killed.isEmpty)
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .appPush) == [.overran] && host.killed.count == 1)
        #expect(host.pending.isEmpty)
    }

    @Test func `a push to a plugin without a receiver ends as not registered, blamed on the plugin`() throws {
        host.push()
        host.enter(registering: [], receives: false)
        #expect(host.outcomes(of: .appPush) == [.notRegistered])
        #expect(try #require(host.lastEntry(of: .appPush)).blame == .plugin)
    }

    @Test func `the newest push replaces the waiting one, and the journal counts it`() throws {
        host.change(memoryLow: true)
        let first = try #require(host.push()?.submission)
        let answer = host.push()
        #expect(answer?.pushResult == .stored(replacing: first))
        #expect(host.pending == [.appPush])
        let entry = try #require(host.entries(.replaced).first)
        #expect(entry.submission == first && entry.successor == answer?.submission && entry.count == 1)
    }

    @Test func `pushes that arrive during a commit are accepted together, and only the newest is stored`() throws {
        host.change(memoryLow: true)
        host.commits = .held
        for _ in 1...4 { host.push() }
        let replies = (0..<4).map { ReplyToken(rawValue: host.lastReply - 3 + $0) }
        host.writeNextCommit()
        #expect(host.answers[replies[0]]?.pushResult == .stored(replacing: nil))
        #expect(host.answers[replies[1]] == nil)
        host.writeHeldCommits()
        let first = try #require(host.answers[replies[0]]?.submission)
        let last = try #require(host.answers[replies[3]]?.submission)
        #expect(host.answers[replies[1]]?.pushResult == .replaced(by: last))
        #expect(host.answers[replies[2]]?.pushResult == .replaced(by: last))
        #expect(host.answers[replies[3]]?.pushResult == .stored(replacing: first))
        #expect(host.entries(.submitted).compactMap(\.count) == [1, 3])
        #expect(host.entries(.replaced).compactMap(\.count) == [3])
    }

    @Test func `a sender without pauses does not delay the delivery`() {
        host.commits = .held
        host.push()
        var delivered = 0
        for _ in 1...50 {
            host.push()
            if host.heldCommits.isEmpty { break }
            host.writeNextCommit()
            delivered = host.plans.count
            if delivered > 0 { break }
        }
        #expect(delivered == 1)
    }

    @Test func `a plugin that cancels all its requests does not cancel its push`() {
        host.submit(.clean, after: .hours(1))
        host.change(memoryLow: true)
        host.push()
        let launch = LaunchNumber(rawValue: 99)
        _ = host.ask { .cancelAllRequested(of: .app, from: launch, reply: $0) }
        #expect(host.pending == [.appPush])
        host.cancelAll()
        #expect(host.pending.isEmpty)
    }

    @Test func `a waiting push does not keep the event started from a plugin`() {
        host.change(memoryLow: true)
        host.push()
        host.restart()
        #expect(host.ledger.events.map(\.type) == [.started] || host.plans.contains { $0.lane == .event })
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A task with a cursor continues after an interruption")
struct CursorContinuationTests: CursorSuite {
    let host = SchedulerDriver(.app())

    @Test(.proves("C19")) func `a task that crashes without moving its cursor is charged`() throws {
        launch(.clean)
        try write(.clean, .unmoved)
        host.crash()
        #expect(host.outcomes(of: .clean) == [.crashed])
        #expect(try retry(.clean).attempts == 1)
    }

    @Test(.proves("C19"))
    func `a task that moved its cursor is requeued after its expiration, even if it is completed as failed`() throws {
        launch(.clean)
        try write(.clean)
        failAtExpiration(.clean)
        #expect(host.outcomes(of: .clean) == [.continues])
        #expect(try retry(.clean) == Retry())
    }

    @Test(.proves("C19")) func `a task that moved its cursor is requeued after an overrun, and the plugin is blamed`()
        throws
    {
        launch(.clean)
        try write(.clean)
        host.simulateExpiration(of: .clean)
        host.advance(by: .seconds(10))
        #expect(host.outcomes(of: .clean) == [.continues])
        #expect(host.lastEntry(of: .clean)?.blame == .plugin)
        #expect(try retry(.clean).attempts == 0)
    }

    @Test(.proves("C19")) func `a task that a user stopped ends although its cursor moved`() throws {
        launch(.clean)
        try write(.clean)
        _ = host.stopTask(.clean)
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.failed])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C19"))
    func `a task continues at its cursor although the end of an older task of its identifier is being recorded`()
        throws
    {
        let host = SchedulerDriver(.studio())
        let plan = try #require(host.openByUser())
        host.submitContinued(from: plan)
        let older = try #require(host.tasks(of: plan.number).last?.id)
        host.submitContinued(from: plan)
        let newer = try #require(host.tasks(of: plan.number).last?.id)
        host.writeCursor(.moved, of: newer, in: plan.number)
        host.commits = .held
        host.send(.completed(plan.number, older, .success))
        host.simulateExpiration(of: .album(1))
        host.send(.completed(plan.number, newer, .failure))
        host.writeHeldCommits()
        #expect(host.outcomes(of: .album(1)) == [.succeeded, .continues])
    }

    /// An interruption of an earlier run.
    enum Interruption: CaseIterable {
        case none
        case crashAfterMovement
        case crash
        case failure
    }

    @Test(.proves("C19"), arguments: Interruption.allCases)
    func `after a used budget the spacing of the kind applies, whatever ended the earlier runs`(_ first: Interruption)
        throws
    {
        let terms = FailureRetry(attempts: 3, delay: .seconds(10), backoff: 1, jitter: 0)
        let host = SchedulerDriver(.app(retries: [.exact(.feed): terms])) {
            $0.policies.kindSpacing = PolicyConfiguration().kindSpacing
            $0.plugins[.app, default: PluginPolicy()].retries = RetryChoices(.accept)
        }
        func move() throws {
            let plan = try #require(host.lastPlan)
            host.send(.cursorWritten(plan.number, try #require(host.task(.feed, of: plan)), .moved))
        }
        host.submit(.feed, as: .refresh)
        host.enter()
        switch first {
        case .none: break
        case .crashAfterMovement:
            try move()
            host.crash()
        case .crash: host.crash()
        case .failure: host.complete(.feed, as: .failure)
        }
        let ended = host.lastPlan?.number
        if first != .none {
            for _ in 0..<600 where host.lastPlan?.number == ended { host.advance(by: .seconds(1)) }
            host.enter()
        }
        try move()
        host.simulateExpiration(of: .feed)
        host.complete(.feed, as: .failure)
        #expect(host.outcomes(of: .feed).last == .continues)
        let spacing = Reason.kindSpacing(until: host.clock.now.wall + .minutes(15), .refresh, .minutes(15))
        #expect(host.reasons(.feed).contains(spacing))
    }
}

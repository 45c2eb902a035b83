// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A task with a cursor continues after an interruption, and ends after three runs without movement")
struct CursorTests {
    let host = SchedulerDriver(.app())

    private func launch(_ identifiers: TaskIdentifier...) {
        for identifier in identifiers { host.submit(identifier) }
        host.enter()
    }

    private func write(_ identifier: TaskIdentifier, _ write: CursorWrite = .moved, reply: ReplyToken? = nil) throws {
        let plan = try #require(host.lastPlan)
        host.send(.cursorWritten(plan.number, try #require(host.task(identifier, of: plan)), write, reply: reply))
    }

    private func retry(_ identifier: TaskIdentifier) throws -> Retry { try #require(host.request(identifier)).retry }

    /// The task is expired for its budget and completed as failed.
    private func failAtExpiration(_ identifier: TaskIdentifier) {
        host.simulateExpiration(of: identifier)
        host.complete(identifier, as: .failure)
    }

    /// Waits for the launch after the one with the number, and lets it enter.
    private func runAgain(after ended: LaunchNumber?) {
        wait(after: ended)
        host.enter()
    }

    private func wait(after ended: LaunchNumber?) {
        for _ in 0..<7_200 where host.lastPlan?.number == ended { host.advance(by: .seconds(1)) }
    }

    private func runAgain() { runAgain(after: host.lastPlan?.number) }

    @Test(.proves("C19"), arguments: [1, 3, 12])
    func `a task that crashes after it moved its cursor is requeued with a delay and without a charge`(runs: Int) throws
    {
        launch(.clean)
        for run in 1...runs {
            try write(.clean)
            host.crash()
            #expect(host.outcomes(of: .clean) == Array(repeating: .continues, count: run))
            #expect(try retry(.clean).attempts == 0)
            let delay = min(Duration.seconds(10) * (1 << max(0, run - 2)), .hours(1))
            #expect(try retry(.clean).notBefore == host.clock.now.wall + delay)
            #expect(try retry(.clean).setbacks == run && retry(.clean).runsAlone)
            #expect(host.entries(.setbacks).count == max(0, run - 4))
            runAgain()
        }
    }

    @Test(.proves("C19")) func `an unblamed run begins the count of setbacks anew`() throws {
        launch(.clean)
        for _ in 0..<2 {
            try write(.clean)
            host.crash()
            runAgain()
        }
        try write(.clean)
        failAtExpiration(.clean)
        #expect(try retry(.clean).setbacks == 0)
        runAgain()
        try write(.clean)
        host.crash()
        #expect(try retry(.clean).notBefore == host.clock.now.wall + .seconds(10))
    }

    @Test(.proves("C19")) func `repeated losses of the host in which the cursor moved delay the task and warn`() throws {
        launch(.clean)
        for loss in 1...5 {
            try write(.clean)
            let lost = host.lastPlan?.number
            host.restart(after: .seconds(1))
            if loss > 1 {
                let delay = Duration.seconds(10) * (1 << (loss - 2))
                #expect(try retry(.clean).notBefore == host.clock.now.wall + delay)
                #expect(try retry(.clean).runsAlone)
            }
            #expect(host.entries(.setbacks).count == max(0, loss - 4))
            runAgain(after: lost)
        }
    }

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

    @Test(.proves("C19")) func `a task fails as without a cursor when it was not expired`() throws {
        launch(.clean)
        try write(.clean)
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean) == [.failed])
        #expect(host.ledger.cursors[.clean] == 0)
    }

    @Test(.proves("C19")) func `the cursor of a task that succeeds is deleted`() throws {
        launch(.clean)
        try write(.clean)
        #expect(host.ledger.cursors[.clean] == 0)
        host.complete(.clean)
        #expect(host.ledger.cursors[.clean] == nil)
    }

    @Test(.proves("C19")) func `the cursor of a task that succeeds is deleted although it was never reported`() throws {
        launch(.clean)
        try write(.clean)
        failAtExpiration(.clean)
        host.reportsCursors = false
        runAgain()
        host.complete(.clean)
        #expect(host.ledger.cursors[.clean] == nil)
    }

    @Test(.proves("C19"))
    func `three runs without movement end the task as no-progress, and its next request has three again`()
        throws
    {
        launch(.clean)
        try write(.clean)
        for _ in 0..<2 {
            failAtExpiration(.clean)
            for standstills in 1...2 {
                runAgain()
                failAtExpiration(.clean)
                #expect(host.outcomes(of: .clean).last == .continues)
                #expect(host.ledger.cursors[.clean] == standstills)
            }
            runAgain()
            failAtExpiration(.clean)
            #expect(host.outcomes(of: .clean).last == .noProgress)
            #expect(host.pending.isEmpty)
            #expect(host.ledger.cursors[.clean] == 0)
            let ended = host.lastPlan?.number
            host.submit(.clean)
            runAgain(after: ended)
            try write(.clean)
        }
    }

    @Test(.proves("C19")) func `an abandoned task leaves no count of standstills`() throws {
        launch(.clean)
        try write(.clean)
        failAtExpiration(.clean)
        runAgain()
        failAtExpiration(.clean)
        #expect(host.ledger.cursors[.clean] == 1)
        for _ in 0..<host.configuration.attempts {
            wait(after: host.lastPlan?.number)
            host.exit(code: 1)
        }
        #expect(host.outcomes(of: .clean).last == .abandoned)
        #expect(host.ledger.cursors[.clean] == 0)
    }

    @Test(.proves("C19")) func `a user's request of the identifier has three runs again`() throws {
        launch(.clean)
        try write(.clean)
        failAtExpiration(.clean)
        runAgain()
        failAtExpiration(.clean)
        runAgain()
        host.complete(.clean, as: .failure)
        #expect(host.outcomes(of: .clean).last == .failed)
        host.submit(.clean)
        #expect(host.ledger.cursors[.clean] == 1)
        host.submit(.clean, by: .user)
        #expect(host.ledger.cursors[.clean] == 0)
    }

    @Test(.proves("C19")) func `a submission with a restart deletes the cursor in its own commit`() throws {
        launch(.clean)
        try write(.clean)
        host.complete(.clean, as: .failure)
        #expect(host.ledger.cursors[.clean] == 0)
        let request = TaskRequest(identifier: .clean, kind: .processing)
        host.commits = .failing
        host.send(.submitted(Submission(request: request, submitter: .user, restarts: true), reply: ReplyToken(rawValue: 900)))
        #expect(host.ledger.cursors[.clean] == 0)
        host.commits = .written
        host.send(.submitted(Submission(request: request, submitter: .user, restarts: true), reply: ReplyToken(rawValue: 901)))
        #expect(host.ledger.cursors[.clean] == nil)
    }

    @Test(.proves("C19")) func `a task that is killed because another one overran has no delay`() throws {
        host.runners = .held
        host.submit(.clean)
        host.submit(.vacuum)
        host.bringRunners()
        host.enter()
        try write(.clean)
        try write(.vacuum)
        host.simulateExpiration(of: .clean)
        host.advance(by: .seconds(3))
        host.simulateExpiration(of: .vacuum)
        host.advance(by: .seconds(2))
        #expect(host.outcomes(of: .vacuum) == [.continues])
        #expect(try retry(.clean).notBefore == host.clock.now.wall + .seconds(10))
        #expect(try retry(.vacuum).notBefore == nil)
    }

    @Test(.proves("C19")) func `a moved cursor starts the count of standstills again`() throws {
        launch(.clean)
        try write(.clean)
        for _ in 0..<4 {
            failAtExpiration(.clean)
            runAgain()
            failAtExpiration(.clean)
            runAgain()
            try write(.clean)
        }
        #expect(Set(host.outcomes(of: .clean)) == [.continues])
    }

    @Test(.proves("C19")) func `a discarded cursor is no movement`() throws {
        launch(.clean)
        try write(.clean)
        try write(.clean, .discarded)
        host.crash()
        #expect(host.outcomes(of: .clean) == [.crashed])
    }

    @Test(.proves("C19")) func `a task that discards the cursor of an earlier run and expires is requeued once`() throws
    {
        launch(.clean)
        try write(.clean)
        failAtExpiration(.clean)
        runAgain()
        try write(.clean, .discarded)
        host.ledger.discardCursor(of: .clean)
        failAtExpiration(.clean)
        #expect(host.outcomes(of: .clean) == [.continues, .continues])
        runAgain()
        failAtExpiration(.clean)
        #expect(host.outcomes(of: .clean) == [.continues, .continues, .failed])
    }

    @Test(.proves("C19"))
    func `a discarded cursor of the same run does not requeue the task after its expiration`() throws {
        launch(.clean)
        try write(.clean)
        try write(.clean, .discarded)
        failAtExpiration(.clean)
        #expect(host.outcomes(of: .clean) == [.failed])
    }

    @Test(.proves("C19")) func `losses of the host in which the cursor moved are not counted`() throws {
        launch(.clean)
        for _ in 0..<8 {
            try write(.clean)
            let lost = host.lastPlan?.number
            host.restart(after: .seconds(1))
            #expect(host.outcomes(of: .clean).last == .continues)
            runAgain(after: lost)
        }
        host.complete(.clean)
        #expect(host.outcomes(of: .clean).last == .succeeded)
    }

    @Test(.proves("C19")) func `a durable checkpoint is answered after the commit, and refused after the task's end`()
        throws
    {
        launch(.clean)
        host.commits = .held
        try write(.clean, reply: ReplyToken(rawValue: 900))
        #expect(host.answers[ReplyToken(rawValue: 900)] == nil)
        host.writeHeldCommits()
        #expect(host.answers[ReplyToken(rawValue: 900)] == .cursorRecorded)
        host.commits = .written
        let plan = try #require(host.lastPlan)
        let task = try #require(host.task(.clean, of: plan))
        host.complete(.clean)
        host.send(.cursorWritten(plan.number, task, .moved, reply: ReplyToken(rawValue: 901)))
        guard case .refused = host.answers[ReplyToken(rawValue: 901)] else {
            Issue.record("the checkpoint of an ended task is not refused")
            return
        }
    }

    @Test(.proves("C19")) func `the newer request of a task that moved its cursor supersedes it and keeps the cursor`()
        throws
    {
        launch(.clean)
        try write(.clean)
        host.submit(.clean)
        host.crash()
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.ledger.cursors[.clean] == 0)
    }

    @Test(.proves("C19")) func `a pending newer request does not stop the cursor of the running task`() throws {
        launch(.clean)
        host.submit(.clean)
        try write(.clean, reply: ReplyToken(rawValue: 900))
        #expect(host.answers[ReplyToken(rawValue: 900)] == .cursorRecorded)
        #expect(host.ledger.cursors[.clean] == 0)
    }

    /// A launch with two tasks of one continued identifier, oldest first.
    private func twoTasksOfOneAlbum(_ host: SchedulerDriver, between body: (LaunchPlan, TaskID) -> Void) throws
        -> (plan: LaunchPlan, older: TaskID, newer: TaskID)
    {
        let plan = try #require(host.openByUser())
        host.submitContinued(from: plan)
        let older = try #require(host.tasks(of: plan.number).last?.id)
        body(plan, older)
        host.submitContinued(from: plan)
        let newer = try #require(host.tasks(of: plan.number).last?.id)
        try #require(older != newer)
        return (plan, older, newer)
    }

    private func isRefused(_ reply: ReplyToken, _ host: SchedulerDriver) -> Bool {
        if case .refused = host.answers[reply] { true } else { false }
    }

    @Test(.proves("C19")) func `a task's checkpoints are refused once the task of a newer request has started`() throws
    {
        let host = SchedulerDriver(.studio())
        let (plan, older, newer) = try twoTasksOfOneAlbum(host) { _, _ in }
        let replies = [900, 901].map { ReplyToken(rawValue: $0) }
        host.send(.cursorWritten(plan.number, older, .moved, reply: replies[0]))
        #expect(isRefused(replies[0], host))
        host.send(.cursorWritten(plan.number, older, .moved))
        #expect(host.ledger.cursors[.album(1)] == nil)
        host.send(.cursorWritten(plan.number, newer, .moved, reply: replies[1]))
        #expect(host.answers[replies[1]] == .cursorRecorded)
        #expect(host.ledger.cursors[.album(1)] == 0)
    }

    @Test(.proves("C19"))
    func `a checkpoint that waits after a failed commit is refused when the task of a newer request starts`() throws {
        let host = SchedulerDriver(.studio())
        let reply = ReplyToken(rawValue: 900)
        _ = try twoTasksOfOneAlbum(host) { plan, older in
            host.commits = .failing
            host.send(.cursorWritten(plan.number, older, .moved))
            host.commits = .written
            host.send(.cursorWritten(plan.number, older, .moved, reply: reply))
            #expect(host.answers[reply] == nil)
        }
        #expect(isRefused(reply, host))
        host.advance(by: .seconds(2))
        #expect(host.ledger.cursors[.album(1)] == nil)
    }

    @Test(.proves("C19", 77)) func `a repeated write of a continued task is stored, and is no progress`() throws {
        let host = SchedulerDriver(.studio())
        let plan = try #require(host.openByUser())
        host.submitContinued(from: plan)
        let task = try #require(host.tasks(of: plan.number).last?.id)
        host.send(.cursorWritten(plan.number, task, .moved))
        host.advance(by: .seconds(20))
        let reply = ReplyToken(rawValue: 900)
        host.send(.cursorWritten(plan.number, task, .repeated, reply: reply))
        #expect(host.answers[reply] == .cursorRecorded)
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(10))
        #expect(host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves("C19")) func `a repeated write leaves the movement of the run as it is`() throws {
        launch(.clean)
        try write(.clean)
        try write(.clean, .repeated)
        host.crash()
        #expect(host.outcomes(of: .clean) == [.continues])
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

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Only the task of the newest request that has started writes the cursor")
struct CursorOwnerTests: CursorSuite {
    let host = SchedulerDriver(.app())

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

    @Test(.proves("C19")) func `a pending newer request does not stop the cursor of the running task`() throws {
        launch(.clean)
        host.submit(.clean)
        try write(.clean, reply: ReplyToken(rawValue: 900))
        #expect(host.answers[ReplyToken(rawValue: 900)] == .cursorRecorded)
        #expect(host.ledger.cursors[.clean] == 0)
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

    @Test(.proves("C19")) func `the runner of an older task ends its cursor's movements before the newer task starts`()
        throws
    {
        let host = SchedulerDriver(.studio())
        let (plan, older, newer) = try twoTasksOfOneAlbum(host) { _, _ in
            #expect(!host.actions.contains { if case .yieldCursor = $0 { true } else { false } })
        }
        let sent = host.actions.compactMap { action -> TaskID? in
            switch action {
            case .yieldCursor(plan.number, let id): id
            case .deliver(plan.number, let task): task.id
            default: nil
            }
        }
        #expect(sent.suffix(2) == [older, newer])
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
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The cursor of a task is deleted with its success, a discard or a restart, and kept otherwise")
struct CursorDeletionTests: CursorSuite {
    let host = SchedulerDriver(.app())

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

    @Test(.proves("C19")) func `a submission with a restart deletes the cursor in its own commit`() throws {
        launch(.clean)
        try write(.clean)
        host.complete(.clean, as: .failure)
        #expect(host.ledger.cursors[.clean] == 0)
        let request = TaskRequest(identifier: .clean, kind: .processing)
        host.commits = .failing
        host.send(
            .submitted(Submission(request: request, submitter: .user, restarts: true), reply: ReplyToken(rawValue: 900))
        )
        #expect(host.ledger.cursors[.clean] == 0)
        host.commits = .written
        host.send(
            .submitted(Submission(request: request, submitter: .user, restarts: true), reply: ReplyToken(rawValue: 901))
        )
        #expect(host.ledger.cursors[.clean] == nil)
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
}

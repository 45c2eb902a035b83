// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Three runs in a row that do not move the cursor end the task")
struct CursorStandstillTests: CursorSuite {
    let host = SchedulerDriver(.app())

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

    /// The task discards the cursor of the run before and writes a new one.
    private func beginAgain() throws {
        runAgain()
        try write(.clean, .discarded)
        host.ledger.discardCursor(of: .clean)
        try write(.clean)
    }

    @Test(.proves("C19")) func `a task that discards the cursor in each run and expires ends as no-progress`() throws {
        launch(.clean)
        try write(.clean)
        failAtExpiration(.clean)
        for standstills in 1...2 {
            try beginAgain()
            failAtExpiration(.clean)
            #expect(host.outcomes(of: .clean).last == .continues)
            #expect(host.ledger.cursors[.clean] == standstills)
        }
        try beginAgain()
        failAtExpiration(.clean)
        #expect(host.outcomes(of: .clean).last == .noProgress)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C19")) func `a task that discards the cursor in each run and crashes ends as no-progress`() throws {
        launch(.clean)
        try write(.clean)
        host.crash()
        for _ in 0..<3 {
            try beginAgain()
            host.crash()
        }
        #expect(host.outcomes(of: .clean) == [.continues, .continues, .continues, .noProgress])
    }

    @Test(.proves("C19")) func `a task that discards a cursor once and then moves its new one has three runs again`()
        throws
    {
        launch(.clean)
        try write(.clean)
        for _ in 0..<3 {
            failAtExpiration(.clean)
            try beginAgain()
            failAtExpiration(.clean)
            #expect(host.ledger.cursors[.clean] == 1)
            runAgain()
            try write(.clean)
        }
        #expect(host.ledger.cursors[.clean] == 0)
        #expect(Set(host.outcomes(of: .clean)) == [.continues])
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
}

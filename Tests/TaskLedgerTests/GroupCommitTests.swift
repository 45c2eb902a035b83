// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

@Suite("Commits that wait at the same time share one transaction")
struct GroupCommitTests {
    @Test func `a hundred commits requested during a write are written as one group, in order`() async throws {
        let directory = try LedgerDirectory()
        let gate = Gate()
        let reports = Reports()
        let ledger = try Ledger.open(path: directory.path, hooks: gate.hooks, onCommit: reports.collect)
        ledger.submit(ticket: 0, changes: [note("0")])
        await gate.reached()
        for ticket in UInt64(1)...100 { ledger.submit(ticket: ticket, changes: [note("\(ticket)")]) }
        #expect(reports.tickets.isEmpty)
        gate.open()
        await reports.reached(101)

        #expect(gate.groupSizes == [1, 100])
        #expect(reports.tickets == Array(0...100))
        #expect(reports.failures.isEmpty)
        #expect(try ledger.journal(JournalSelection(limit: 200)).map(\.message) == (0...100).map { "\($0)" })
        try ledger.close()
    }

    @Test func `an uncommitted change is invisible to readers, and readers do not wait for it`() async throws {
        let directory = try LedgerDirectory()
        let gate = Gate()
        let ledger = try Ledger.open(path: directory.path, hooks: gate.hooks)
        ledger.submit(ticket: 1, changes: [.storeRequest(plainRequest(1), payload: [])])
        await gate.reached()
        #expect(try ledger.pendingRequests().isEmpty)
        gate.open()
        try await ledger.commitAndWait([])
        #expect(try ledger.pendingRequests() == [plainRequest(1)])
        try ledger.close()
    }

    @Test func `a commit can depend on the changes of earlier commits of its group`() async throws {
        let gate = Gate()
        let reports = Reports()
        let ledger = try Ledger.inMemory(hooks: gate.hooks, onCommit: reports.collect)
        ledger.submit(ticket: 1, changes: [])
        await gate.reached()
        ledger.submit(ticket: 2, changes: [.storeRequest(plainRequest(1), payload: [5])])
        ledger.submit(ticket: 3, changes: [.startLaunch(plan(1, [.request(plainRequest(1))]))])
        ledger.submit(ticket: 4, changes: [.endTask(1, 1), .endLaunch(1, end())])
        gate.open()
        await reports.reached(4)
        #expect(gate.groupSizes == [1, 3])
        #expect(reports.failures.isEmpty)
        #expect(try ledger.launch(1)?.end == end())
    }

    @Test func `closing a ledger writes the waiting commits, and a later commit fails as closed`() async throws {
        let directory = try LedgerDirectory()
        let gate = Gate()
        let reports = Reports()
        let ledger = try Ledger.open(path: directory.path, hooks: gate.hooks, onCommit: reports.collect)
        ledger.submit(ticket: 1, changes: [.storeRequest(plainRequest(1), payload: [])])
        await gate.reached()
        ledger.submit(ticket: 2, changes: [.storeRequest(plainRequest(2, "clean"), payload: [])])
        gate.open()
        try ledger.close()
        #expect(reports.tickets == [1, 2] && reports.failures.isEmpty)

        let error = try await ledgerError { try await ledger.commitAndWait([note("late")]) }
        #expect(error.code == .closed)
        let reopened = try Ledger.open(path: directory.path)
        #expect(try reopened.pendingRequests() == [plainRequest(1), plainRequest(2, "clean")])
        try reopened.close()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import TaskLedger

@Suite("A group of commits that share a transaction is bounded in number and in time")
struct BoundedGroupTests {
    private func answers(_ count: Int) -> [[LedgerChange]] {
        (1...count).map { [.storeRequest(plainRequest(Int64($0), "r\($0)"), payload: [])] }
    }

    @Test
    func `a group has at most 512 commits that store requests, and later commits form the next group`() async throws {
        let held = try await HeldLedger()
        let order = await held.write(answers(1_300))
        #expect(held.gate.groupSizes == [1, 512, 512, 276])
        #expect(order == Array(1...1_300) && held.reports.failures.isEmpty)
        #expect(try held.ledger.work(of: feed).requests.count == 1_300)
    }

    @Test func `a group has at most 512 commits that contain only journal entries`() async throws {
        let held = try await HeldLedger()
        let order = await held.write((1...600).map { [note("\($0)")] })
        #expect(held.gate.groupSizes == [1, 512, 88] && order == Array(1...600))
    }

    @Test func `a group of commits ends after 4 ms of writing`() async throws {
        let held = try await HeldLedger(clockStep: .milliseconds(1))
        let order = await held.write(answers(10))
        #expect(held.gate.groupSizes == [1, 4, 4, 2])
        #expect(order == Array(1...10) && held.reports.failures.isEmpty)
    }

    @Test func `a commit whose writing exceeds the time limit of a group forms its own group`() async throws {
        let held = try await HeldLedger(clockStep: .seconds(1))
        let order = await held.write(answers(3))
        #expect(held.gate.groupSizes == [1, 1, 1, 1] && order == [1, 2, 3])
    }

    @Test func `a commit that is requested while a group is written belongs to a later group`() async throws {
        let (gate, reports) = (Gate(), Reports())
        let ledger = try Ledger.inMemory(hooks: gate.hooks, onCommit: reports.collect)
        for ticket in UInt64(1)...3 { ledger.submit(ticket: ticket, changes: [note("\(ticket)")]) }
        await gate.reached()
        ledger.submit(ticket: 4, changes: [note("4")])
        gate.open()
        await reports.reached(4)
        #expect(gate.groupSizes.reduce(0, +) == 4 && gate.groupSizes.count > 1)
        #expect(reports.tickets == [1, 2, 3, 4])
    }

    @Test func `commits that do not fail are written although other commits of their group fail`() async throws {
        let held = try await HeldLedger()
        var tickets = answers(8)
        for bad in [1, 2, 5, 7] { tickets[bad].append(.endLaunch(9, end())) }
        let order = await held.write(tickets)
        #expect(held.gate.groupSizes == [1, 4] && order == Array(1...8))
        #expect(held.reports.failures.keys.sorted() == [2, 3, 6, 8])
        #expect(try held.ledger.work(of: feed).requests.map(\.number) == [1, 4, 5, 7])
    }

    @Test func `a commit that depends on a failed commit of its group fails as well`() async throws {
        let held = try await HeldLedger()
        let work = PendingWork.request(plainRequest(1))
        _ = await held.write([
            [.storeRequest(plainRequest(1), payload: []), .endLaunch(9, end())], [.startLaunch(plan(1, [work]))],
            [note("kept")],
        ])
        #expect(held.reports.failures.keys.sorted() == [1, 2])
        #expect(held.reports.failures[2]?.message.contains("is not pending") == true)
        #expect(try held.ledger.journal(JournalSelection(limit: 9)).map(\.message) == ["kept"])
    }

    @Test func `a group in which every commit fails has no transaction, and a later commit is written`() async throws {
        let held = try await HeldLedger()
        let order = await held.write([[.endLaunch(9, end())], [.endLaunch(8, end())]])
        #expect(held.gate.groupSizes == [1] && order == [1, 2] && held.reports.failures.count == 2)
        try await held.ledger.commitAndWait([.storeRequest(plainRequest(1), payload: [])])
        #expect(try held.ledger.snapshot().pendingPlugins == [feed])
    }
}

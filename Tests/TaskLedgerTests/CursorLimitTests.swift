// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A plugin keeps the cursors that it wrote last, and those of running tasks")
struct CursorLimitTests {
    private let ledger: Ledger
    private let groups = GroupWitness()
    private let others: [TaskIdentifier]
    private let newest: TaskIdentifier

    init() throws {
        let groups = groups
        ledger = try Ledger.inMemory(onGroup: { groups.add($0) })
        others = try (0..<1_000).map { try #require(TaskIdentifier("com.example.feed.item\($0)")) }
        newest = try #require(TaskIdentifier("com.example.feed.newest"))
    }

    private func write(_ identifier: TaskIdentifier, at second: Int64 = 5) -> LedgerChange {
        .storeCursor(
            CursorChange(
                plugin: feed,
                identifier: identifier,
                launch: 1,
                task: TaskID(launch: 1, index: 0),
                submission: 9,
                version: "2.1",
                at: time(second),
                isMovement: true,
                image: .bytes([1])
            )
        )
    }

    private func has(_ identifier: TaskIdentifier) throws -> Bool { try ledger.cursor(of: identifier) != nil }

    @Test(.proves("C19"))
    func `a cursor beyond the limit stays although the clock was set back, and the oldest write is deleted`()
        async throws
    {
        try await ledger.commitAndWait(others.map { write($0) })
        try await ledger.commitAndWait([write(others[0], at: 4)])
        try await ledger.commitAndWait([write(newest, at: 1)])
        #expect(try has(newest) && has(others[0]) && !has(others[1]) && has(others[2]))
    }

    @Test(.proves("C19")) func `a write to a stored cursor at the limit deletes none`() async throws {
        try await ledger.commitAndWait(others.map { write($0) })
        try await ledger.commitAndWait([write(others[500])])
        #expect(try has(others[0]))
    }

    private func request(_ identifier: TaskIdentifier, _ number: Int) -> LedgerChange {
        let request = PendingRequest(
            plugin: feed,
            number: SubmissionNumber(rawValue: Int64(number)),
            request: TaskRequest(identifier: identifier, kind: .processing),
            submitter: .user,
            submittedAt: time(1)
        )
        return .storeRequest(request, payload: [])
    }

    @Test(.proves("C19")) func `the entry about a deleted cursor names whether a request of its task is pending`()
        async throws
    {
        // A request of each task but one is pending: the second deletion takes the cursor of a pending request.
        try await ledger.commitAndWait(others.dropLast().enumerated().map { request($1, $0 + 1) })
        try await ledger.commitAndWait(others.map { write($0) })
        let more = try (0..<2).map { try #require(TaskIdentifier("com.example.feed.more\($0)")) }
        try await ledger.commitAndWait([request(more[0], 1_001), write(more[0])])
        try await ledger.commitAndWait([write(more[1])])
        #expect(groups.added.map(\.label) == [others[999].text, others[0].text])
        #expect(groups.added[0].message.contains("it was written least recently; the next run begins from the start"))
        #expect(groups.added[1].message.contains("was left; the pending request begins from the start"))
    }

    @Test(.proves("C19")) func `the cursors of pending requests are deleted after all others`() async throws {
        for (index, identifier) in others.prefix(2).enumerated() {
            try await ledger.commitAndWait([request(identifier, index + 1)])
        }
        try await ledger.commitAndWait(others.map { write($0) })
        try await ledger.commitAndWait([write(newest)])
        #expect(try has(others[0]) && has(others[1]) && !has(others[2]) && has(others[3]))
    }

    @Test(.proves("C19")) func `ten deletions of a minute have journal entries, and one entry counts the others`()
        async throws
    {
        let more = try (0..<26).map { try #require(TaskIdentifier("com.example.feed.more\($0)")) }
        try await ledger.commitAndWait(others.map { write($0) })
        for identifier in more.prefix(25) { try await ledger.commitAndWait([write(identifier, at: 5)]) }
        #expect(groups.added.count == 10 && groups.added.allSatisfy { $0.count == nil && $0.label != nil })
        try await ledger.commitAndWait([write(more[25], at: 65)])
        #expect(groups.added.count == 12)
        #expect(groups.added[10].count == 15 && groups.added[10].label == nil)
        #expect(groups.added[11].label == others[25].text)
    }

    @Test(.proves("C19")) func `the count of deletions without an entry ends with the record of the plugin`()
        async throws
    {
        let more = try (0..<12).map { try #require(TaskIdentifier("com.example.feed.more\($0)")) }
        try await ledger.commitAndWait(others.map { write($0) })
        try await ledger.commitAndWait(more.map { write($0) })
        #expect(groups.added.count == 10)
        try await ledger.commitAndWait([.forgetPlugin(feed)])
        try await ledger.commitAndWait(others.map { write($0) })
        try await ledger.commitAndWait([write(newest, at: 65)])
        #expect(groups.added.count == 11 && groups.added.last?.label == others[0].text)
    }

    @Test(.proves("C19")) func `a deletion of a failed commit is not counted`() async throws {
        let more = try (0..<26).map { try #require(TaskIdentifier("com.example.feed.more\($0)")) }
        try await ledger.commitAndWait(others.map { write($0) })
        let failing = more.prefix(25).map { write($0) } + [.endLaunch(99, end())]
        await #expect(throws: LedgerError.self) { try await ledger.commitAndWait(failing) }
        try await ledger.commitAndWait([write(newest)])
        #expect(groups.added.map(\.label) == [others[0].text])
    }

    @Test(.proves("C19")) func `the cursor of a running task is not deleted, and each deletion is in the journal`()
        async throws
    {
        let running = plainRequest(1)
        let identifier = running.request.identifier
        try await ledger.commitAndWait([
            .storeRequest(running, payload: []), .startLaunch(plan(1, [.request(running)])), write(identifier),
        ])
        try await ledger.commitAndWait(others.map { write($0) })
        #expect(try has(identifier) && !has(others[0]) && has(others[1]))
        let entries = try ledger.journal(JournalSelection(limit: 9)).filter { $0.event == "cursor-cleared" }
        #expect(entries.map(\.label) == [others[0].text])
        #expect(entries.first?.message.contains("more than 1000 cursors") == true)
        #expect(groups.added.map(\.event) == [.cursorCleared])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

@Suite("A task can join a running launch")
struct DeliveryTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    private let first: PendingWork = .request(plainRequest(1))
    private let joining: PendingWork = .request(continuedRequest(2))

    private func startBoth() async throws {
        try await ledger.commitAndWait([.storeRequest(plainRequest(1), payload: [1]), .startLaunch(plan(1, [first]))])
        try await ledger.commitAndWait([
            .storeRequest(continuedRequest(2), payload: [2, 2]), delivered(joining, in: 1),
            .moveLaunch(1, to: .continued),
        ])
    }

    @Test
    func `a task that joins a launch moves with its payload from pending to running, after the tasks of the batch`()
        async throws
    {
        try await startBoth()
        let snapshot = try ledger.snapshot()
        #expect(snapshot.pendingPlugins.isEmpty)
        #expect(snapshot.running.map(\.unfinished) == [[first, joining]])
        #expect(snapshot.running.map(\.lane) == [.continued])
        #expect(try ledger.payloads(ofLaunch: 1) == [1: [1], 2: [2, 2]])
        #expect(try ledger.payload(ofTask: 2, in: 1) == [2, 2])
        let record = try #require(try ledger.launch(1))
        #expect(record.lane == .continued && record.tasks.map(\.kind) == [.refresh, .continued])
    }

    @Test func `a task that joined a launch ends separately, and its payload is deleted at its end`() async throws {
        try await startBoth()
        try await ledger.commitAndWait([.endTask(1, 1), outcome(.succeeded, launch: 1, submission: 1)])
        #expect(try ledger.snapshot().running.map(\.unfinished) == [[joining]])
        let early = try await ledgerError { try await ledger.commitAndWait([.endLaunch(1, end())]) }
        #expect(early.message.contains("com.example.feed.export has no outcome"))
        try await ledger.commitAndWait([
            .endTask(1, 2), outcome(.expired, launch: 1, submission: 2), .endLaunch(1, end()),
        ])
        #expect(try ledger.launch(1)?.tasks.map(\.outcome) == [.succeeded, .expired])
        #expect(try ledger.payload(ofTask: 2, in: 1) == nil)
    }

    @Test
    func `a task that joined a launch is requeued with its fields, and its next launch has its payload`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(3), payload: [3]), .startLaunch(plan(1, [])),
            delivered(.request(fullRequest(3)), in: 1, index: 0),
        ])
        var back = fullRequest(3)
        back.retry.attempts = 3
        try await ledger.commitAndWait([.requeueTask(1, .request(back), at: time(9)), .endLaunch(1, end(.crashed))])
        #expect(try ledger.pendingRequests() == [back])
        try await ledger.commitAndWait([.startLaunch(plan(2, [.request(back)]))])
        #expect(try ledger.payloads(ofLaunch: 2) == [3: [3]])
        #expect(try ledger.snapshot().running.first?.unfinished == [.request(back)])
    }

    @Test func `another task may join a launch in which an earlier task has ended`() async throws {
        try await startBoth()
        try await ledger.commitAndWait([.endTask(1, 2)])
        try await ledger.commitAndWait([
            .storeRequest(continuedRequest(3), payload: []),
            delivered(.request(continuedRequest(3)), in: 1, index: 2),
        ])
        #expect(try ledger.snapshot().running.map(\.unfinished) == [[first, .request(continuedRequest(3))]])
        #expect(try ledger.launch(1)?.tasks.map(\.submission) == [1, 2, 3])
    }

    @Test
    func `a task that joined a launch is still unfinished and has its payload after a crash of the host`() async throws
    {
        let directory = try LedgerDirectory()
        let crashed = try Ledger.open(path: directory.path)
        try await crashed.commitAndWait([
            .storeRequest(plainRequest(1), payload: [1]), .startLaunch(plan(1, [first], budget: nil)),
        ])
        try await crashed.commitAndWait([
            .storeRequest(fullRequest(2, "export"), payload: [2, 2]),
            delivered(.request(fullRequest(2, "export")), in: 1), .moveLaunch(1, to: .continued),
            .forbidRequeue(1, 2),
        ])
        // The ledger is never closed: the copied files are those that a crashed host leaves.
        let files = try directory.copy()
        let next = try Ledger.open(path: files.path)
        let running = try #require(try next.snapshot().running.first)
        #expect(running.unfinished == [first, .request(fullRequest(2, "export"))])
        #expect(running.mayNotBeRequeued == [2] && running.lane == .continued)
        #expect(try next.payloads(ofLaunch: 1) == [1: [1], 2: [2, 2]])
        #expect(try next.pendingRequests().isEmpty)
        #expect(try next.launch(1)?.budget == nil)
        try next.close()
        try crashed.close()
    }

    @Test(arguments: [
        (delivered(.request(plainRequest(9, "never")), in: 1), "refresh 9, com.example.feed.never, is not pending"),
        (delivered(.request(plainRequest(4, of: cleaner)), in: 1), "com.example.cleaner.refresh, is not pending"),
        (delivered(.request(plainRequest(3, "late")), in: 2), "no launch 2 is running"),
        (delivered(.request(plainRequest(3, "late")), in: 7), "no launch 7 is running"),
        (.moveLaunch(2, to: .continued), "no launch 2 is running"),
    ])
    func `a task cannot join a launch if it is not pending, belongs to another plugin, or the launch has ended`(
        change: LedgerChange,
        message: String
    ) async throws {
        try await startBoth()
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(3, "late"), payload: []),
            .storeRequest(plainRequest(4, of: cleaner), payload: []), .startLaunch(plan(2, [])), .endLaunch(2, end()),
        ])
        let error = try await ledgerError { try await ledger.commitAndWait([note("gone"), change]) }
        #expect(error.code == .contradiction && error.message.contains(message))
        #expect(try ledger.pendingRequests().map(\.number) == [3, 4])
        #expect(try ledger.journal(JournalSelection(limit: 9)).isEmpty)
    }
}

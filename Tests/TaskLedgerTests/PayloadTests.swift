// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A payload is stored in a table of its own while its request or event is pending or runs")
struct PayloadTests {
    private let ledger: Ledger
    private let reports = Reports()

    init() throws { ledger = try Ledger.inMemory(onCommit: reports.collect) }

    private let refresh = PendingWork.request(plainRequest(1))

    /// The stored payloads of all submissions, by submission number.
    private func stored() throws -> [Int64: [UInt8]] {
        try ledger.database.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT submission, bytes FROM payload")
            return Dictionary(
                uniqueKeysWithValues: rows.map { ($0["submission"] as Int64, Array($0["bytes"] as Data)) }
            )
        }
    }

    @Test func `the payload of a replaced or removed request is deleted`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: [1]), .storeRequest(plainRequest(2, "clean"), payload: [2]),
            .storeEvent(trigger(3), payload: [3]), .storeRequest(plainRequest(4, "empty"), payload: []),
        ])
        #expect(try stored() == [1: [1], 2: [2], 3: [3]])
        try await ledger.commitAndWait([.storeRequest(plainRequest(5), payload: [5, 5])])
        #expect(try stored() == [2: [2], 3: [3], 5: [5, 5]])
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(6), payload: []), .removeRequest(2), .removeEvent(3),
        ])
        #expect(try stored().isEmpty)
    }

    @Test func `removing a request that has started keeps the payload of the running task`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: [1]), .startLaunch(plan(1, [refresh])), .removeRequest(1),
            .storeRequest(plainRequest(2), payload: [2]),
        ])
        #expect(try ledger.payloads(ofLaunch: 1) == [1: [1]])
        #expect(try stored() == [1: [1], 2: [2]])
    }

    @Test
    func `a payload stays stored while its task starts and is requeued, and is deleted when the task ends`()
        async throws
    {
        try await ledger.commitAndWait([.storeRequest(plainRequest(1), payload: [1, 2, 3])])
        for launch in 1...3 as ClosedRange<Int64> {
            let number = LaunchNumber(rawValue: launch)
            try await ledger.commitAndWait([.startLaunch(plan(launch, [refresh]))])
            #expect(try stored() == [1: [1, 2, 3]])
            try await ledger.commitAndWait([
                .requeueTask(number, refresh, at: time(9)), .endLaunch(number, end(.crashed)),
            ])
            #expect(try stored() == [1: [1, 2, 3]])
        }
        try await ledger.commitAndWait([.startLaunch(plan(4, [refresh])), .endTask(4, 1), .endLaunch(4, end())])
        #expect(try stored().isEmpty)
    }

    @Test func `the payload of an interrupted task that a newer request superseded is deleted`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: [1]), .startLaunch(plan(1, [refresh])),
            .storeRequest(plainRequest(2), payload: [2]), .requeueTask(1, refresh, at: time(9)),
            .endLaunch(1, end(.crashed)),
        ])
        #expect(try stored() == [2: [2]])
    }

    @Test func `a launch whose payload is missing or cut fails instead of running with another payload`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: [1]), .storeRequest(plainRequest(2, "cut"), payload: [1, 2]),
        ])
        try await ledger.database.write { try $0.execute(sql: "DELETE FROM payload WHERE submission = 1") }
        try await ledger.database.write { try $0.execute(sql: "UPDATE payload SET bytes = x'01' WHERE submission = 2") }
        let lost = try await ledgerError { try await ledger.commitAndWait([.startLaunch(plan(1, [refresh]))]) }
        #expect(lost.message.contains("table task, submission 1: bytes holds nothing"))
        let cut = PendingWork.request(plainRequest(2, "cut"))
        let error = try await ledgerError { try await ledger.commitAndWait([.startLaunch(plan(1, [cut]))]) }
        #expect(error.message.contains("submission 2 has 1 bytes of payload instead of 2"))
        #expect(try ledger.pendingRequests().map(\.number) == [1, 2])
    }

    // MARK: - Payloads in the report of a ticket

    @Test
    func `the report of a commit that starts a launch contains the payloads of its batch, empty ones included`()
        async throws
    {
        ledger.submit(
            ticket: 1,
            changes: [
                .storeRequest(plainRequest(1), payload: [1]), .storeRequest(plainRequest(2, "clean"), payload: []),
            ]
        )
        ledger.submit(ticket: 2, changes: [.storeEvent(trigger(3, of: feed), payload: [3, 3])])
        let batch = [refresh, .request(plainRequest(2, "clean")), .event(trigger(3, of: feed))]
        ledger.submit(ticket: 3, changes: [.startLaunch(plan(1, batch)), note("started")])
        ledger.submit(ticket: 4, changes: [.endTask(1, 1)])
        await reports.reached(4)
        #expect(reports.failures.isEmpty)
        #expect(reports.payloads == [1: [:], 2: [:], 3: [1: [1], 2: [], 3: [3, 3]], 4: [:]])
    }

    @Test
    func `the report of a commit that joins a task to a launch contains only the payload of that task`() async throws {
        ledger.submit(
            ticket: 1,
            changes: [.storeRequest(plainRequest(1), payload: [1]), .startLaunch(plan(1, [refresh]))]
        )
        ledger.submit(
            ticket: 2,
            changes: [
                .storeRequest(continuedRequest(2), payload: [2]), delivered(.request(continuedRequest(2)), in: 1),
            ]
        )
        await reports.reached(2)
        #expect(reports.payloads == [1: [1: [1]], 2: [2: [2]]])
    }

    @Test func `the report of a commit contains the payloads of all its launches, even of ended tasks`() async throws {
        let clean = PendingWork.request(plainRequest(2, of: cleaner))
        ledger.submit(
            ticket: 1,
            changes: [
                .storeRequest(plainRequest(1), payload: [1]), .storeRequest(plainRequest(2, of: cleaner), payload: [2]),
                .startLaunch(plan(1, [refresh])), .startLaunch(plan(2, [clean], of: cleaner)), .endTask(1, 1),
                .endLaunch(1, end()),
            ]
        )
        await reports.reached(1)
        #expect(reports.payloads == [1: [1: [1], 2: [2]]])
    }

    @Test func `the report of a failed commit contains no payload, unlike other reports of its group`() async throws {
        let held = try await HeldLedger()
        _ = await held.write([
            [.storeRequest(plainRequest(1), payload: [1]), .startLaunch(plan(1, [refresh]))],
            [
                .storeRequest(plainRequest(2, "clean"), payload: [2]),
                .startLaunch(plan(2, [.request(plainRequest(2, "clean"))])), .endLaunch(9, end()),
            ],
        ])
        #expect(held.reports.failures.keys.sorted() == [2])
        #expect(held.reports.payloads == [0: [:], 1: [1: [1]], 2: [:]])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A request begins from the start when it asks for that, or has another payload than the cursor")
struct CursorOriginTests {
    private let ledger: Ledger
    private let identifier = plainRequest(1).request.identifier

    init() throws { ledger = try Ledger.inMemory() }

    private func write(by submission: Int64, in launch: Int64) -> LedgerChange {
        .storeCursor(
            CursorChange(
                plugin: feed,
                identifier: identifier,
                launch: LaunchNumber(rawValue: launch),
                task: TaskID(launch: LaunchNumber(rawValue: launch), index: 0),
                submission: SubmissionNumber(rawValue: submission),
                version: "2.1",
                at: time(launch),
                isMovement: true,
                image: .bytes([UInt8(submission)])
            )
        )
    }

    private func stored() throws -> [UInt8]? { try ledger.cursor(of: identifier)?.cursor.bytes }

    private func submit(_ number: Int64, _ payload: [UInt8]) -> LedgerChange {
        .storeRequest(plainRequest(number), payload: payload)
    }

    private func start(_ number: Int64, in launch: Int64) -> LedgerChange {
        .startLaunch(plan(launch, [.request(plainRequest(number))]))
    }

    /// Leaves the cursor of a request that failed.
    private func fail(_ number: Int64, _ payload: [UInt8], in launch: Int64) async throws {
        try await ledger.commitAndWait([
            submit(number, payload), start(number, in: launch), write(by: number, in: launch),
            .endTask(LaunchNumber(rawValue: launch), SubmissionNumber(rawValue: number)),
        ])
    }

    @Test(.proves("C19"), arguments: [([1, 2], [1, 2]), ([], [])] as [([UInt8], [UInt8])])
    func `a request with the payload of the last one continues at its cursor`(_ payloads: ([UInt8], [UInt8]))
        async throws
    {
        try await fail(1, payloads.0, in: 1)
        try await ledger.commitAndWait([submit(2, payloads.1), start(2, in: 2)])
        #expect(try stored() == [1])
    }

    @Test(.proves("C19"), arguments: [([1, 2], [2, 1]), ([], [0]), ([0], [])] as [([UInt8], [UInt8])])
    func `the start of a request with another payload deletes the cursor`(_ payloads: ([UInt8], [UInt8])) async throws {
        try await fail(1, payloads.0, in: 1)
        try await ledger.commitAndWait([submit(2, payloads.1)])
        #expect(try stored() == [1])
        try await ledger.commitAndWait([start(2, in: 2)])
        #expect(try stored() == nil)
    }

    @Test(.proves("C19")) func `a requeued request keeps its cursor over launches`() async throws {
        let work = PendingWork.request(plainRequest(1))
        try await ledger.commitAndWait([submit(1, [7]), start(1, in: 1), write(by: 1, in: 1)])
        try await ledger.commitAndWait([.requeueTask(1, work, at: time(2)), start(1, in: 2)])
        #expect(try stored() == [1])
    }

    @Test(.proves("C19"))
    func `a restart deletes the cursor at once, and one that an older task writes before the request starts`()
        async throws
    {
        try await ledger.commitAndWait([submit(1, []), start(1, in: 1), write(by: 1, in: 1)])
        try await ledger.commitAndWait([submit(2, []), .restart(feed, identifier, of: 2)])
        #expect(try stored() == nil)
        try await ledger.commitAndWait([write(by: 1, in: 1), .endTask(1, 1)])
        #expect(try stored() == [1])
        try await ledger.commitAndWait([start(2, in: 2)])
        #expect(try stored() == nil)
        let work = PendingWork.request(plainRequest(2))
        try await ledger.commitAndWait([write(by: 2, in: 2), .requeueTask(2, work, at: time(3)), start(2, in: 3)])
        #expect(try stored() == [2])
    }

    @Test(.proves("C19")) func `a request that replaces one with a restart begins from the start, too`() async throws {
        try await ledger.commitAndWait([submit(1, []), start(1, in: 1)])
        try await ledger.commitAndWait([submit(2, []), .restart(feed, identifier, of: 2), submit(3, [])])
        try await ledger.commitAndWait([write(by: 1, in: 1), .endTask(1, 1), start(3, in: 2)])
        #expect(try stored() == nil)
    }
}

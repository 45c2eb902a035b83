// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A cursor is stored per plugin and task identifier, over launches and requests")
struct CursorTests {
    private let ledger: Ledger
    private let refresh = PendingWork.request(plainRequest(1))
    private let identifier = plainRequest(1).request.identifier

    init() throws { ledger = try Ledger.inMemory() }

    private func write(
        _ image: CursorImage?,
        of other: TaskIdentifier? = nil,
        by submission: Int64 = 1,
        in launch: Int64 = 1,
        isMovement: Bool = true
    ) -> LedgerChange {
        .storeCursor(
            CursorChange(
                plugin: feed,
                identifier: other ?? identifier,
                launch: LaunchNumber(rawValue: launch),
                task: TaskID(launch: LaunchNumber(rawValue: launch), index: 0),
                submission: SubmissionNumber(rawValue: submission),
                version: "2.1",
                at: time(launch),
                isMovement: isMovement,
                image: image
            )
        )
    }

    private func stored() throws -> TaskCursor? { try ledger.cursor(of: identifier)?.cursor }

    @Test(.proves("C19")) func `a stored cursor is read with its version, its submission and its time`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .startLaunch(plan(1, [refresh])), write(.bytes([1, 2])),
        ])
        let cursor = TaskCursor(bytes: [1, 2], version: "2.1", movedAt: time(1), submission: 1)
        #expect(try stored() == cursor)
        #expect(try ledger.snapshot().running.map(\.moved) == [[1]])
    }

    @Test(.proves("C19")) func `a cursor stays when its task is requeued, and the next launch has not moved it`()
        async throws
    {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .startLaunch(plan(1, [refresh])), write(.bytes([7])),
            .requeueTask(1, refresh, at: time(2)),
        ])
        try await ledger.commitAndWait([.startLaunch(plan(2, [refresh]))])
        #expect(try ledger.snapshot().running.last?.moved == [])
        #expect(try stored()?.bytes == [7])
    }

    @Test(.proves("C19"))
    func `a change without contents, an older submission's write and an older submission's end leave the cursor`()
        async throws
    {
        try await ledger.commitAndWait([write(.bytes([5]), by: 5)])
        try await ledger.commitAndWait([
            write(nil, by: 6), write(.bytes([4]), by: 4), write(.discarded, by: 4),
            .dropCursor(feed, identifier, of: 4),
        ])
        #expect(try stored()?.bytes == [5])
        try await ledger.commitAndWait([.dropCursor(feed, identifier, of: 5)])
        #expect(try stored() == nil)
    }

    @Test(.proves("C19")) func `a movement sets the count of standstills to zero, another write keeps it`() async throws
    {
        try await ledger.commitAndWait([write(.bytes([1])), .setStandstills(feed, identifier, 2, of: 1)])
        #expect(try stored()?.standstills == 2)
        try await ledger.commitAndWait([write(.bytes([1]), in: 2, isMovement: false)])
        #expect(try stored()?.standstills == 2)
        try await ledger.commitAndWait([write(.bytes([2]), in: 3)])
        #expect(try stored()?.standstills == 0)
    }

    @Test(.proves("C19")) func `an older submission does not change the count of the cursor that a newer one wrote`()
        async throws
    {
        try await ledger.commitAndWait([write(.bytes([5]), by: 5), .setStandstills(feed, identifier, 1, of: 5)])
        try await ledger.commitAndWait([.setStandstills(feed, identifier, 2, of: 4)])
        #expect(try stored()?.standstills == 1)
        try await ledger.commitAndWait([.setStandstills(feed, identifier, 0, of: 6)])
        #expect(try stored()?.standstills == 0)
    }

    @Test(.proves("C19")) func `the cursors of a forgotten plugin are deleted`() async throws {
        try await ledger.commitAndWait([write(.bytes([1]))])
        try await ledger.commitAndWait([.forgetPlugin(feed)])
        #expect(try stored() == nil)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("The health of the ledger is the result of its newest commit")
struct LedgerHealthTests {
    private final class Clock: Sendable {
        let seconds = Mutex<Int64>(0)
        var now: WallTime { WallTime(nanoseconds: seconds.withLock { $0 } * 1_000_000_000) }
        func set(_ value: Int64) { seconds.withLock { $0 = value } }
    }

    private func entry(_ size: Int) throws -> LedgerChange {
        .journal(
            JournalEntry(
                at: WallTime(nanoseconds: 0),
                event: .simulationEnded,
                plugin: nil,
                blame: .nobody,
                message: String(repeating: "x", count: size)
            )
        )
    }

    @Test func `a full ledger is reported as failing from its first failed commit until the next successful one`()
        async throws
    {
        let (health, clock) = (LedgerHealth(), Clock())
        let (reported, signal) = AsyncStream.makeStream(of: Void.self)
        let ledger = try Ledger.inMemory(hooks: LedgerHooks(maximumPages: 68)) { reports in
            health.note(reports, at: clock.now)
            signal.yield()
        }
        var reports = reported.makeAsyncIterator()
        func commit(_ size: Int, at second: Int64) async throws {
            clock.set(second)
            ledger.submit(ticket: UInt64(second), changes: [try entry(size)])
            _ = await reports.next()
        }
        #expect(health.failure == nil)
        try await commit(1, at: 1)
        #expect(health.failure == nil)
        for second in 2...3 as ClosedRange<Int64> { try await commit(1 << 20, at: second) }
        let failure = try #require(health.failure)
        #expect(failure.since == WallTime(nanoseconds: 2_000_000_000) && failure.message.contains("free space"))
        try await commit(1, at: 4)
        #expect(health.failure == nil)
        try ledger.close()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Leases are stored until they are deleted")
struct LeaseTests {
    private func lease(_ name: String, acknowledged: Int64 = 0, length: Duration = .seconds(30)) -> LeaseRecord {
        LeaseRecord(name: name, owner: 1_000, acknowledged: acknowledged, length: length)
    }

    @Test func `leases are read back as they were stored last, ordered by name`() async throws {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([.storeLease(lease("web")), .storeLease(lease("batch"))])
        try await ledger.commitAndWait([.storeLease(lease("web", acknowledged: 7, length: .seconds(150)))])
        #expect(
            try ledger.snapshot().leases == [
                lease("batch"), lease("web", acknowledged: 7, length: .seconds(150)),
            ]
        )
        try await ledger.commitAndWait([.removeLease("web"), .removeLease("unknown")])
        #expect(try ledger.snapshot().leases == [lease("batch")])
    }

    @Test func `the acknowledged number of a lease never falls, and its owner never changes`() async throws {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([.storeLease(lease("web", acknowledged: 7))])
        let other = LeaseRecord(name: "web", owner: 1_001, acknowledged: 3, length: .seconds(30))
        try await ledger.commitAndWait([.storeLease(other)])
        #expect(try ledger.snapshot().leases == [lease("web", acknowledged: 7)])
    }

    @Test func `the mark of a journal entry about a lost lease is read back`() async throws {
        let ledger = try Ledger.inMemory()
        var entry = JournalEntry(at: time(1), event: .leaseLost, plugin: feed, blame: .nobody, message: "lost")
        try await ledger.commitAndWait([.journal(entry)])
        entry.isLeaseLost = true
        try await ledger.commitAndWait([.journal(entry)])
        #expect(try ledger.journal(JournalSelection(limit: 10)).map(\.isLeaseLost) == [false, true])
    }

    @Test func `a ledger of version 23 has no leases after a migration, and accepts new ones`() async throws {
        let directory = try LedgerDirectory()
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[22].name)
        try older.close()
        let ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().leases.isEmpty)
        try await ledger.commitAndWait([.storeLease(lease("web"))])
        #expect(try ledger.snapshot().leases == [lease("web")])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }
}

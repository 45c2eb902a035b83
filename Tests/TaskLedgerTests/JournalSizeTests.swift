// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Synchronization
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A journal above its capacity loses its oldest entries")
struct JournalSizeTests {
    private static let message = String(repeating: "x", count: 1_000)

    /// A journal entry of about 1 200 bytes.
    private func entry(_ number: Int64) -> LedgerChange { note("\(number) \(Self.message)", at: number) }

    /// The recorded size of the journal, and the sum of the sizes of its entries.
    private func sizes(of ledger: Ledger) async throws -> [Int64] {
        try await ledger.database.read { database in
            [
                try Int64.fetchOne(database, sql: "SELECT journal_bytes FROM counter") ?? -1,
                try Int64.fetchOne(database, sql: "SELECT coalesce(sum(size), 0) FROM journal") ?? -1,
            ]
        }
    }

    private func numbers(of ledger: Ledger) throws -> [Int64] {
        try ledger.journal(JournalSelection(limit: 1_000)).map(\.number.rawValue)
    }

    @Test func `the newest entries stay, and the journal is smaller than its capacity after each commit`() async throws
    {
        let ledger = try Ledger.inMemory(journalCapacity: 10_000)
        for number in 1...30 {
            try await ledger.commitAndWait([entry(Int64(number))])
            #expect(try await sizes(of: ledger)[0] <= 10_000)
        }
        let left = try numbers(of: ledger)
        #expect(left.count == 8 && left == Array(23...30))
        let sizes = try await sizes(of: ledger)
        #expect(sizes[0] == sizes[1] && sizes[0] > 8 * 1_000)
    }

    @Test func `a commit deletes at most two entries for each new one`() async throws {
        let directory = try LedgerDirectory()
        let before = try Ledger.open(path: directory.path)
        try await before.commitAndWait((1...50).map(entry))
        try before.close()
        let ledger = try Ledger.open(path: directory.path, journalCapacity: 10_000)
        #expect(try numbers(of: ledger).count == 50)
        try await ledger.commitAndWait([entry(51), entry(52)])
        #expect(try numbers(of: ledger) == Array(5...52))
        try ledger.close()
    }

    @Test func `the journal of a reduced capacity is trimmed in bounded steps, and then no further`() async throws {
        let directory = try LedgerDirectory()
        let before = try Ledger.open(path: directory.path)
        try await before.commitAndWait((1...20).map(entry))
        try before.close()
        let ledger = try Ledger.open(path: directory.path, journalCapacity: 10_000)
        #expect(try ledger.trimJournal(atMost: 9).count == 9)
        #expect(try ledger.trimJournal(atMost: 9).count == 3)
        #expect(try ledger.trimJournal(atMost: 9).count == 0)
        #expect(try numbers(of: ledger) == Array(13...20))
        try ledger.close()
    }

    /// A ledger with a lease whose feeder has acknowledged entries up to a number.
    private func leased(_ ledger: Ledger, acknowledged: Int64) async throws {
        let lease = LeaseRecord(name: "web-1", owner: 1_000, acknowledged: acknowledged, length: .seconds(30))
        try await ledger.commitAndWait([.storeLease(lease)])
    }

    private func losses(_ ledger: Ledger) throws -> [Int64] {
        let filter = JournalFilter(events: [.outcomesLost])
        return try ledger.journal(JournalSelection(filter: filter, limit: 9)).map(\.number.rawValue)
    }

    private func claimed(_ number: Int64) -> LedgerChange {
        note("\(number) \(Self.message)", at: number, claim: Claim(item: number, fence: 1, isBound: true))
    }

    @Test func `the loss of entries with a claim is journaled once, and again after it was acknowledged`() async throws
    {
        let added = Mutex<[JournalEntry]>([])
        let ledger = try Ledger.inMemory(
            journalCapacity: 10_000,
            onGroup: { group in added.withLock { $0 += group.added } }
        )
        try await leased(ledger, acknowledged: 1)
        for number in 1...14 { try await ledger.commitAndWait([claimed(Int64(number))]) }
        let loss = try #require(try losses(ledger).first)
        #expect(try losses(ledger).count == 1)
        // The first entry was acknowledged, so its deletion is no loss.
        #expect(loss == 11 && added.withLock { $0.map(\.event) } == [.outcomesLost])
        try await leased(ledger, acknowledged: 15)
        for number in 16...27 { try await ledger.commitAndWait([claimed(Int64(number))]) }
        #expect(try losses(ledger).count == 1 && losses(ledger) != [loss])
    }

    @Test func `the loss of entries without a claim, or without a lease, is not journaled`() async throws {
        let ledger = try Ledger.inMemory(journalCapacity: 10_000)
        for number in 1...20 { try await ledger.commitAndWait([claimed(Int64(number))]) }
        try await leased(ledger, acknowledged: 20)
        for number in 21...40 { try await ledger.commitAndWait([entry(Int64(number))]) }
        #expect(try losses(ledger).isEmpty)
    }

    @Test func `a reduced capacity reports the loss of entries with a claim`() async throws {
        let directory = try LedgerDirectory()
        let before = try Ledger.open(path: directory.path)
        try await leased(before, acknowledged: 0)
        try await before.commitAndWait((1...20).map(claimed))
        try before.close()
        let ledger = try Ledger.open(path: directory.path, journalCapacity: 10_000)
        #expect(try ledger.trimJournal(atMost: 9) == TrimmedEntries(count: 9, losesClaims: true))
        try await ledger.commitAndWait([.journal(.outcomesLost(at: time(21)))])
        #expect(try !ledger.trimJournal(atMost: 9).losesClaims && losses(ledger).count == 1)
        try ledger.close()
    }

    @Test func `pruned entries and the entries of a commit that failed do not count`() async throws {
        let fails = Mutex(false)
        let hooks = LedgerHooks(beforeGroupCommit: { _ in if fails.withLock({ $0 }) { throw CancellationError() } })
        let ledger = try Ledger.inMemory(hooks: hooks)
        try await ledger.commitAndWait((1...4).map(entry))
        let full = try await sizes(of: ledger)
        fails.withLock { $0 = true }
        await #expect(throws: LedgerError.self) { try await ledger.commitAndWait([entry(5)]) }
        fails.withLock { $0 = false }
        #expect(try await sizes(of: ledger) == full)
        #expect(try ledger.prune(journalOlderThan: time(4), launchesOlderThan: time(0)).journal == 3)
        let rest = try await sizes(of: ledger)
        #expect(rest[0] == rest[1] && rest[0] * 4 == full[0])
        #expect(try ledger.prune(journalOlderThan: time(9), launchesOlderThan: time(0)).journal == 1)
        #expect(try await sizes(of: ledger) == [0, 0])
    }

    @Test func `an upgrade counts the entries that the ledger has`() async throws {
        let directory = try LedgerDirectory()
        let step = try #require(LedgerSchema.steps.firstIndex { $0.name.hasSuffix("size of the journal") })
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[step - 1].name)
        try older.close()
        try directory.tamper(
            """
            INSERT INTO plugin VALUES (1, 'com.example.feed');
            INSERT INTO journal (at, event, plugin, label, blame, message, user_command) VALUES
                (1, 'failed', 1, 'com.example.feed.refresh', 'plugin', 'é', NULL),
                (2, 'cancelled', NULL, NULL, 'user', '', 'bgtask');
            """
        )
        let ledger = try Ledger.open(path: directory.path)
        let (first, second) = (128 + 2 * (6 + 24 + 6) + 2, 128 + 2 * (9 + 4) + 6)
        #expect(try await sizes(of: ledger) == [Int64(first + second), Int64(first + second)])
        try ledger.close()
    }

    @Test func `the sizes of entries differ from the space of journal and indexes by less than a fifth`() async throws {
        let ledger = try Ledger.inMemory()
        for length in [0, 60, 300] {
            try await ledger.commitAndWait(
                (1...2_000).map { number in
                    .journal(
                        JournalEntry(
                            at: time(Int64(number)),
                            event: .task(.succeeded),
                            plugin: feed,
                            launch: LaunchNumber(rawValue: Int64(number)),
                            label: "com.example.feed.refresh",
                            submission: SubmissionNumber(rawValue: Int64(number)),
                            blame: .nobody,
                            message: String(repeating: "x", count: length)
                        )
                    )
                }
            )
        }
        let space = try await ledger.database.read { database in
            try Int64.fetchOne(database, sql: "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'journal%'")
        }
        let ratio = Double(try await sizes(of: ledger)[0]) / Double(try #require(space))
        #expect((0.8...1.2).contains(ratio), "\(ratio)")
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

@Suite("The journal is read and followed by its numbers")
struct JournalTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    @Test func `a journal entry is read back with every field`() async throws {
        let entry = JournalEntry(
            at: WallTime(nanoseconds: 1_763_000_000_000_000_001),
            event: .launch(.killedForMemory),
            plugin: cleaner,
            launch: 41,
            label: "com.example.cleaner.vacuum",
            submission: 12,
            blame: .machine,
            message: "used 300 MiB of 256 MiB; raise limits.memory",
            successor: 13,
            count: 7,
            user: CallingUser(uid: .max, pid: 4_711, command: "bgtask")
        )
        try await ledger.commitAndWait([.journal(entry), note("bare")])
        let records = try ledger.journal(JournalSelection(limit: 10))
        let first = try #require(records.first)
        #expect(first.number.rawValue == 1 && first.at == entry.at && first.event == "launch-killed-for-memory")
        #expect(first.plugin == cleaner && first.launch == 41 && first.label == entry.label && first.submission == 12)
        #expect(first.blame == .machine && first.message == entry.message)
        #expect(first.successor == 13 && first.count == 7 && first.user == entry.user)
        #expect(records[1].successor == nil && records[1].count == nil && records[1].user == nil)
        #expect(records.count == 2 && records[1].launch == nil && records[1].label == nil)
        #expect(records[1].submission == nil && records[1].event == "cancelled")
    }

    @Test func `a journal entry without a plugin is selected by an event filter, and not by a plugin filter`()
        async throws
    {
        let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")
        let entry = JournalEntry(
            at: time(1),
            event: .conditionsSimulated,
            plugin: nil,
            blame: .nobody,
            message: "idle true",
            user: user
        )
        try await ledger.commitAndWait([.journal(entry), note("bare")])
        let filter = JournalFilter(events: [.conditionsSimulated])
        let byEvent = try ledger.journal(JournalSelection(filter: filter, limit: 9))
        #expect(byEvent.map(\.message) == ["idle true"] && byEvent.map(\.user) == [user])
        #expect(byEvent.first?.plugin == nil)
        #expect(try ledger.journal(JournalSelection(limit: 9)).map(\.message) == ["idle true", "bare"])
        #expect(try ledger.journal(JournalSelection(filter: JournalFilter(plugin: feed), limit: 9)).count == 1)
    }

    @Test
    func `journal entries are selected by number, from either end, and by plugin, launch and label`() async throws {
        try await ledger.commitAndWait([
            note("1"), note("2", plugin: cleaner), outcome(.failed, launch: 7, submission: 1),
            note("4", plugin: cleaner),
        ])
        func numbers(_ selection: JournalSelection) throws -> [Int64] {
            try ledger.journal(selection).map(\.number.rawValue)
        }
        let second = JournalNumber(rawValue: 2)
        #expect(try numbers(JournalSelection(limit: 3)) == [1, 2, 3])
        #expect(try numbers(JournalSelection(after: second, limit: 9)) == [3, 4])
        #expect(try numbers(JournalSelection(newestFirst: true, limit: 2)) == [4, 3])
        #expect(try numbers(JournalSelection(after: second, newestFirst: true, limit: 9)) == [4, 3])
        #expect(try numbers(JournalSelection(filter: JournalFilter(plugin: cleaner), limit: 9)) == [2, 4])
        #expect(try numbers(JournalSelection(filter: JournalFilter(launch: 7), limit: 9)) == [3])
        #expect(try numbers(JournalSelection(filter: JournalFilter(plugin: cleaner, launch: 7), limit: 9)) == [])
        #expect(
            try numbers(JournalSelection(filter: JournalFilter(label: "com.example.feed.refresh"), limit: 9)) == [3]
        )
    }

    @Test
    func `a follower of the journal receives the newest entry number, however many entries were written`() async throws
    {
        var first = ledger.journalAppends().makeAsyncIterator()
        var second = ledger.journalAppends().makeAsyncIterator()
        try await ledger.commitAndWait([.storeRequest(plainRequest(1), payload: [])])
        try await ledger.commitAndWait([note("1"), note("2")])
        #expect(await first.next()?.rawValue == 2)
        try await ledger.commitAndWait([note("3")])
        try await ledger.commitAndWait([.removeRequest(1)])
        try await ledger.commitAndWait([note("4")])
        // A slow follower receives only the last number.
        #expect(await second.next()?.rawValue == 4)
        #expect(await first.next()?.rawValue == 4)
    }

    @Test
    func `a follower of the journal receives no number of a rolled-back commit, and ends when the ledger is closed`()
        async throws
    {
        var follower = ledger.journalAppends().makeAsyncIterator()
        _ = try await ledgerError { try await ledger.commitAndWait([note("gone"), .endTask(1, 1)]) }
        try ledger.close()
        #expect(await follower.next() == nil)
        var late = ledger.journalAppends().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `a follower of the journal receives no number of an entry whose commit failed on the disk`() async throws
    {
        struct DiskGone: Error {}
        let ledger = try Ledger.inMemory(hooks: LedgerHooks(beforeGroupCommit: { _ in throw DiskGone() }))
        var follower = ledger.journalAppends().makeAsyncIterator()
        _ = try await ledgerError { try await ledger.commitAndWait([note("gone")]) }
        try ledger.close()
        #expect(await follower.next() == nil)
    }
}

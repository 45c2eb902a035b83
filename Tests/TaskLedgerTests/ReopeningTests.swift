// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A ledger that is opened again holds what it held")
struct ReopeningTests {
    let folder: LedgerFolder

    init() throws { folder = try LedgerFolder() }

    @Test func `the snapshot after reopening equals the one before`() async throws {
        let ledger = try Ledger.open(path: folder.path)
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1]), .storeRequest(plainRequest(2, "clean"), payload: []),
            .storeRequest(fullRequest(3, of: cleaner), payload: []), .storeEvent(started(4), payload: []),
            .rememberPlugin(KnownPlugin(entry(feed))),
            .startLaunch(plan(1, [.request(plainRequest(2, "clean")), .request(fullRequest(1))])),
            .keepFromReturning(1, 1), .startLaunch(plan(2, [])), .endLaunch(2, end()),
            .recordWait(.event(started(4)), reasons: ["heat", "lane-busy"], at: time(5)),
            .setFetch(feed, FetchSchedule(interval: .seconds(60), last: time(6))),
            .recordOccasion(task("com.example.feed.refresh"), at: time(7)),
        ])
        let before = try ledger.snapshot()
        try ledger.close()

        let reopened = try Ledger.open(path: folder.path)
        let after = try reopened.snapshot()
        #expect(after.requests == before.requests && after.requests == [fullRequest(3, of: cleaner)])
        #expect(after.events == before.events && after.events == [started(4)])
        #expect(after.running == before.running && after.running.first?.keptFromReturning == [1])
        #expect(after.known == before.known && after.known == [KnownPlugin(entry(feed))])
        #expect(after.past == before.past && after.past.map(\.endedAt) == [time(2_000)])
        #expect(after.waits == before.waits && after.waits == [4: ["heat", "lane-busy"]])
        #expect(after.fetches == before.fetches && after.fetches.keys.map(\.self) == [feed])
        #expect(after.occasions == before.occasions && after.occasions.values.map(\.self) == [time(7)])
        #expect(after.lastSubmission == 4 && after.lastLaunch == 2)
        #expect(try reopened.payloads(ofLaunch: 1) == [1: [1], 2: []])
        try reopened.close()
    }

    @Test func `what nothing waits for any more, a host that died left open, is closed`() async throws {
        let ledger = try Ledger.open(path: folder.path)
        func wait(_ number: Int64) -> LedgerChange {
            .recordWait(.request(plainRequest(number)), reasons: ["heat"], at: time(5))
        }
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), wait(1), .storeRequest(plainRequest(2), payload: []), wait(2),
            .storeEvent(started(3), payload: []), .recordWait(.event(started(3)), reasons: ["heat"], at: time(6)),
        ])
        try ledger.close()

        let reopened = try Ledger.open(path: folder.path)
        #expect(try reopened.snapshot().waits == [2: ["heat"], 3: ["heat"]])
        let history = try reopened.waits(WaitSelection(label: "com.example.feed.refresh", submission: 1, limit: 9))
        #expect(history.map(\.until) == [time(5)])
        try reopened.close()
    }

    @Test func `what was reported as committed is there although the ledger was never closed`() async throws {
        let ledger = try Ledger.open(path: folder.path)
        try await ledger.commitAndWait([.storeRequest(fullRequest(1), payload: [])])
        let second = try Ledger.open(path: folder.path)
        #expect(try second.snapshot().requests == [fullRequest(1)])
        try second.close()
        try ledger.close()
    }

    @Test func `numbers stay used when their rows are gone`() async throws {
        let ledger = try Ledger.open(path: folder.path)
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(8), payload: []), .storeEvent(started(9), payload: []), note("1"), note("2"),
        ])
        try await ledger.commitAndWait([.removeRequest(8), .startLaunch(plan(5, [.event(started(9))]))])
        try await ledger.commitAndWait([.endTask(5, 9), .endLaunch(5, end())])
        // A lower number later, as from a returning request, takes nothing back.
        try await ledger.commitAndWait([.storeRequest(plainRequest(3), payload: [])])
        let pruned = try ledger.prune(journalOlderThan: time(10_000), launchesOlderThan: time(10_000))
        #expect(pruned == PrunedRows(journal: 2, launches: 1, waits: 0))
        try ledger.close()

        let reopened = try Ledger.open(path: folder.path)
        #expect(try reopened.snapshot().lastSubmission == 9)
        #expect(try reopened.snapshot().lastLaunch == 5)
        try await reopened.commitAndWait([.storeRequest(plainRequest(4), payload: []), note("3")])
        #expect(try reopened.snapshot().lastSubmission == 9)
        #expect(try reopened.journal(JournalSelection(limit: 1)).map(\.number.rawValue) == [3])
        try reopened.close()
    }

    @Test(arguments: [
        ("UPDATE request SET kind = 77", "table request, number 1: kind holds \"77\""),
        ("UPDATE request SET identifier = 'nodots'", "table request, number 1: identifier holds \"nodots\""),
        ("UPDATE launch SET lane = -1", "table launch, number 3: lane holds \"-1\""),
        ("UPDATE launch SET pid = 1 << 40", "table launch, number 3: pid holds \"1099511627776\""),
        ("UPDATE task SET event_type = 6", "table task, launch 3: event_type holds \"6\""),
        ("UPDATE known_plugin SET permitted = '*'", "table known_plugin, identifier com.example.feed: permitted holds"),
        ("UPDATE request SET protection = 4", "table request, number 1: protection holds \"4\""),
        ("UPDATE request SET title = 'x'", "table request, number 1: strategy holds nothing"),
        ("UPDATE launch SET outcome = 'odd', ended_at = 9", "table launch, number 3: outcome holds \"odd\""),
        ("INSERT INTO occasion VALUES ('nodots', 1)", "table occasion, identifier nodots: identifier holds"),
        ("DELETE FROM counter", "table counter has no row \"submission\""),
    ])
    func `a row that this host cannot read is named with its table and value`(sql: String, message: String) async throws
    {
        let ledger = try Ledger.open(path: folder.path)
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .storeEvent(started(2), payload: []),
            .startLaunch(plan(3, [.event(started(2))])), .rememberPlugin(KnownPlugin(entry(feed))),
        ])
        try ledger.close()
        try folder.tamper(sql)

        let reopened = try Ledger.open(path: folder.path)
        let error = try ledgerError { try reopened.snapshot() }
        #expect(error.message.contains(message))
        #expect(error.message.contains(folder.path))
        try reopened.close()
    }

    @Test func `commits are synced to the disk in full, with foreign keys on and a write-ahead log`() throws {
        let ledger = try Ledger.open(path: folder.path)
        let settings = try ledger.database.writeWithoutTransaction { database in
            try ["synchronous", "foreign_keys", "journal_mode"].map {
                try String.fetchOne(database, sql: "PRAGMA \($0)")
            }
        }
        #expect(settings == ["2", "1", "wal"])
        try ledger.close()
    }
}

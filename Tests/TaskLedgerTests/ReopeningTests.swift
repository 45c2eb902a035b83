// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A reopened ledger has the content that it had before")
struct ReopeningTests {
    let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    @Test func `the snapshot and the pending work of a reopened ledger equal those before its closing`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1]), .storeRequest(plainRequest(2, "clean"), payload: []),
            .storeRequest(fullRequest(3, of: cleaner), payload: []), .storeEvent(started(4), payload: []),
            .rememberPlugin(KnownPlugin(entry(feed))),
            .startLaunch(plan(1, [.request(plainRequest(2, "clean")), .request(fullRequest(1))])),
            .forbidRequeue(1, 1), .startLaunch(plan(2, [])), .endLaunch(2, end()),
            wait(.event(started(4)), for: ["heat", "lane-busy"], at: 5),
            .setDeferrals(WaitKey(of: .request(fullRequest(3, of: cleaner))), [deferral(1, 2), deferral(4)]),
            .setFetch(feed, FetchSchedule(interval: .seconds(60), last: time(6))),
            .recordOccurrence(task("com.example.feed.refresh"), at: time(7)),
        ])
        let before = try (ledger.snapshot(), ledger.work(of: feed), ledger.work(of: cleaner))
        try ledger.close()

        let reopened = try Ledger.open(path: directory.path)
        let after = try reopened.snapshot()
        #expect(after.pendingPlugins == before.0.pendingPlugins && after.pendingPlugins == [cleaner, feed])
        #expect(after.running == before.0.running && after.running.first?.mayNotBeRequeued == [1])
        #expect(after.known == before.0.known && after.known == [KnownPlugin(entry(feed))])
        #expect(after.past == before.0.past && after.past.map(\.endedAt) == [time(2_000)])
        #expect(after.fetches == before.0.fetches && after.fetches.keys.map(\.self) == [feed])
        #expect(after.occurrences == before.0.occurrences && after.occurrences.values.map(\.self) == [time(7)])
        #expect(after.lastSubmission == 4 && after.lastLaunch == 2)
        #expect(try reopened.work(of: feed) == before.1)
        #expect(before.1 == PluginWork(plugin: feed, events: [started(4)], waits: [.event: ["heat", "lane-busy"]]))
        #expect(try reopened.work(of: cleaner) == before.2 && before.2.requests == [fullRequest(3, of: cleaner)])
        #expect(before.2.deferrals.values.map(\.self) == [[deferral(1, 2), deferral(4)]])
        #expect(try reopened.payloads(ofLaunch: 1) == [1: [1], 2: []])
        try reopened.close()
    }

    @Test
    func `opening a ledger ends waits without pending work, with the time of the last journal entry`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        let (gone, left) = (PendingWork.request(fullRequest(1)), PendingWork.request(plainRequest(2, "clean")))
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(2, "clean"), payload: []), .storeEvent(started(3), payload: []),
            wait(gone, for: ["heat"], at: 5), wait(left, for: ["network"], at: 6),
            wait(.event(started(3)), for: ["x"], at: 7),
            note("last", at: 9),
        ])
        try ledger.close()

        let reopened = try Ledger.open(path: directory.path)
        #expect(
            try reopened.work(of: feed).waits == [
                WorkClass(of: left): ["network"], .event: ["x"],
            ]
        )
        let closed = try reopened.waits(WaitSelection(key: WaitKey(of: gone), from: time(0), limit: 9))
        #expect(closed.map(\.until) == [time(9)])
        try reopened.close()
    }

    @Test func `opening a ledger deletes the deferral periods of classes without pending work`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        let (gone, left) = (PendingWork.request(fullRequest(1)), PendingWork.request(plainRequest(2, "clean")))
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(2, "clean"), payload: []), .setDeferrals(WaitKey(of: gone), [deferral(1)]),
            .setDeferrals(WaitKey(of: left), [deferral(2, 3)]),
        ])
        try ledger.close()

        let reopened = try Ledger.open(path: directory.path)
        #expect(
            try reopened.work(of: feed).deferrals == [
                WorkClass(of: left): [deferral(2, 3)]
            ]
        )
        try reopened.close()
    }

    @Test(arguments: ["wait", "deferral"])
    func `opening a ledger removes open waits and deferrals with an unknown class number`(
        table: String
    ) async throws {
        let ledger = try Ledger.open(path: directory.path)
        let request = PendingWork.request(plainRequest(1))
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), wait(request, for: ["heat"], at: 1),
            .setDeferrals(WaitKey(of: request), [deferral(1)]),
        ])
        try ledger.close()
        try directory.tamper("UPDATE \(table) SET class = 250")
        let reopened = try Ledger.open(path: directory.path)
        let work = try reopened.work(of: feed)
        #expect(work.waits.isEmpty == (table == "wait") && work.deferrals.isEmpty == (table == "deferral"))
        try reopened.close()
    }

    @Test func `a committed change is readable although the ledger was never closed`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.storeRequest(fullRequest(1), payload: [])])
        let second = try Ledger.open(path: directory.path)
        #expect(try second.pendingRequests() == [fullRequest(1)])
        try second.close()
        try ledger.close()
    }

    @Test func `submission, launch and journal numbers are not reused after their rows are deleted`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(8), payload: []), .storeEvent(started(9), payload: []), note("1"), note("2"),
        ])
        try await ledger.commitAndWait([.removeRequest(8), .startLaunch(plan(5, [.event(started(9))]))])
        try await ledger.commitAndWait([.endTask(5, 9), .endLaunch(5, end())])
        // A lower number later, as of a requeued request, does not decrease the last number.
        try await ledger.commitAndWait([.storeRequest(plainRequest(3), payload: [])])
        let pruned = try ledger.prune(journalOlderThan: time(10_000), launchesOlderThan: time(10_000))
        #expect(pruned == PrunedRows(journal: 2, launches: 1, waits: 0, deferrals: 0))
        try ledger.close()

        let reopened = try Ledger.open(path: directory.path)
        #expect(try reopened.snapshot().lastSubmission == 9)
        #expect(try reopened.snapshot().lastLaunch == 5)
        try await reopened.commitAndWait([.storeRequest(plainRequest(4), payload: []), note("3")])
        #expect(try reopened.snapshot().lastSubmission == 9)
        #expect(try reopened.journal(JournalSelection(limit: 1)).map(\.number.rawValue) == [3])
        try reopened.close()
    }

    @Test(arguments: [
        ("UPDATE launch SET lane = -1", "table launch, number 3: lane holds \"-1\""),
        ("UPDATE launch SET pid = 1 << 40", "table launch, number 3: pid holds \"1099511627776\""),
        ("UPDATE task SET event_type = 7", "table task, launch 3: event_type holds \"7\""),
        ("UPDATE known_plugin SET permitted = '*'", "table known_plugin, identifier com.example.feed: permitted holds"),
        ("UPDATE launch SET outcome = 'odd', ended_at = 9", "table launch, number 3: outcome holds \"odd\""),
        ("INSERT INTO occasion VALUES ('no..dots', 1)", "table occasion, identifier no..dots: identifier holds"),
        ("DELETE FROM counter", "table counter has no row"),
        ("ALTER TABLE launch RENAME COLUMN lane TO way", "table launch has no column lane"),
        ("ALTER TABLE known_plugin DROP COLUMN missing_since", "table known_plugin has no column missing_since"),
    ])
    func `an unreadable row fails the snapshot with the name of its table, row and column`(
        sql: String,
        message: String
    ) async throws {
        try await tamper(sql)
        let reopened = try Ledger.open(path: directory.path)
        let error = try ledgerError { try reopened.snapshot() }
        #expect(error.message.contains(message) && error.message.contains(directory.path))
        try reopened.close()
    }

    @Test(arguments: [
        ("UPDATE request SET kind = 77", "table request, number 1: kind holds \"77\""),
        ("UPDATE request SET identifier = 'no..dots'", "table request, number 1: identifier holds \"no..dots\""),
        ("UPDATE request SET protection = 4", "table request, number 1: protection holds \"4\""),
        ("UPDATE request SET title = 'x'", "table request, number 1: strategy holds nothing"),
        ("UPDATE request SET submitter = 77", "table request, number 1: submitter holds \"77\""),
        ("UPDATE event SET type = 9", "table event, number 4: type holds \"9\""),
        ("ALTER TABLE request RENAME COLUMN submitted_at TO told_at", "table request has no column submitted_at"),
        ("ALTER TABLE event DROP COLUMN host_losses", "table event has no column host_losses"),
    ])
    func `an unreadable row fails only the work of its plugin, with the name of its table, row and column`(
        sql: String,
        message: String
    ) async throws {
        try await tamper("PRAGMA foreign_keys = OFF; \(sql)")
        let reopened = try Ledger.open(path: directory.path)
        #expect(try reopened.snapshot().pendingPlugins == [cleaner, feed])
        let error = try ledgerError { try reopened.work(of: feed) }
        #expect(error.code == .unreadable)
        #expect(error.message.contains(message) && error.message.contains(directory.path))
        if !sql.contains("ALTER") { #expect(try reopened.work(of: cleaner).events.map(\.number) == [5]) }
        try reopened.close()
    }

    @Test
    func `a kill during the creation of a ledger, which leaves a rollback journal, does not prevent the next start`()
        throws
    {
        try directory.tamper("PRAGMA user_version = 0; CREATE TABLE t (x); DROP TABLE t")
        // The header of the journal of a transaction that began with an empty file: 512-byte sectors, 4,096-byte pages.
        let start: [UInt8] = [
            0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0, 0x2c, 0x2b, 0x87, 0xea, 0, 0, 0, 0, 0, 0, 2, 0,
            0, 0, 0x10, 0,
        ]
        let journal = Data(start + Array(repeating: 0, count: 512 - start.count))
        try journal.write(to: URL(filePath: directory.path + "-journal"))
        let ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().pendingPlugins.isEmpty)
        try ledger.close()
        #expect(!FileManager.default.fileExists(atPath: directory.path + "-journal"))
    }

    /// Writes a ledger with a row in every table that a start reads, and runs `sql` on it as another program.
    private func tamper(_ sql: String) async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .storeEvent(started(2), payload: []),
            .storeEvent(started(4), payload: []), .startLaunch(plan(3, [.event(started(2))])),
            .rememberPlugin(KnownPlugin(entry(feed))), .storeEvent(trigger(5, of: cleaner), payload: []),
        ])
        try ledger.close()
        try directory.tamper(sql.replacing("type = 9", with: "type = iif(number = 4, 9, type)"))
    }

    @Test func `a ledger is opened with full synchronization of commits, foreign keys and a write-ahead log`() throws {
        let ledger = try Ledger.open(path: directory.path)
        let settings = try ledger.database.writeWithoutTransaction { database in
            try ["synchronous", "foreign_keys", "journal_mode"].map {
                try String.fetchOne(database, sql: "PRAGMA \($0)")
            }
        }
        #expect(settings == ["2", "1", "wal"])
        try ledger.close()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import TaskLedger

@Suite("An inspection reports the problems of a ledger and does not change its files")
struct InspectionTests {
    let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    private func makeLedger() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1]), note("once"),
            wait(.request(fullRequest(1)), for: ["heat"], at: 1),
            .setDeferrals(WaitKey(of: .request(fullRequest(1))), [deferral(1)]),
            .setFetch(feed, FetchSchedule(interval: .seconds(60), last: time(1))),
            .setPause(feed, PluginPause(since: time(1))), .setUses(feed, UseHistogram(firstUse: 1)),
        ])
        try ledger.close()
    }

    private func inspect() throws -> LedgerInspection {
        let before = try directory.files()
        let inspection = LedgerInspection(path: directory.path)
        #expect(try directory.files() == before)
        return inspection
    }

    @Test func `the inspection of a valid ledger contains its version and its pending work`() async throws {
        try await makeLedger()
        let inspection = try inspect()
        #expect(inspection.state == .readable(version: LedgerInspection.knownVersion))
        #expect(inspection.problems.isEmpty && inspection.pendingRequests == 1)
        #expect(inspection.snapshot?.pendingPlugins == [feed] && inspection.snapshot?.fetches.count == 1)
    }

    @Test func `the inspection of a missing or empty ledger reports it as absent and creates nothing`() throws {
        #expect(try inspect().state == .absent)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
        try Data().write(to: URL(filePath: directory.path))
        #expect(try inspect().state == .absent)
    }

    @Test(arguments: ["journal", "wait", "payload"])
    func `an inspection finds damage in a table that the host does not read at its start`(
        table: String
    ) async throws {
        try await makeLedger()
        try directory.damage(table)
        let inspection = try inspect()
        #expect(inspection.state == .refused && !inspection.problems.isEmpty)
        let remedy = "restore the ledger from a copy"
        #expect(inspection.problems.allSatisfy { $0.contains(directory.path) && $0.contains(remedy) })
    }

    @Test(arguments: ["journal", "wait", "deferral", "fetch_schedule", "plugin_pause", "plugin_use"])
    func `an inspection finds rows that refer to a missing plugin`(
        table: String
    ) async throws {
        try await makeLedger()
        try directory.tamper("PRAGMA foreign_keys = OFF; UPDATE \(table) SET plugin = 4711")
        let inspection = try inspect()
        #expect(inspection.state == .refused)
        #expect(inspection.problems.first?.contains("rows of table \(table) refer to rows of plugin") == true)
    }

    @Test func `an inspection of a ledger with a newer version names that version`() async throws {
        try await makeLedger()
        try directory.tamper("PRAGMA user_version = 99")
        let inspection = try inspect()
        #expect(inspection.state == .refused)
        #expect(
            inspection.problems.count == 1 && inspection.problems[0].contains("has version 99, but this host supports")
        )
    }

    @Test
    func `an inspection reports the unreadable rows of two plugins and omits the number of requests`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .storeRequest(plainRequest(2, of: cleaner), payload: []),
        ])
        try ledger.close()
        try directory.tamper("UPDATE request SET kind = 77")
        let inspection = try inspect()
        #expect(inspection.state == .refused && inspection.pendingRequests == nil)
        #expect(inspection.problems.count == 2)
        #expect(
            inspection.problems.allSatisfy { $0.contains("table request, number") && $0.contains("kind holds \"77\"") }
        )
    }

    @Test(arguments: [
        ("DELETE FROM payload", "submission 1 has 0 bytes of payload instead of 1"),
        ("UPDATE payload SET bytes = x'0102'", "submission 1 has 2 bytes of payload instead of 1"),
        ("INSERT INTO payload VALUES (9, x'01')", "submission 9 has 1 bytes of payload instead of 0"),
    ])
    func `an inspection finds a payload that is lost, has another size or belongs to no work`(
        sql: String,
        finding: String
    ) async throws {
        try await makeLedger()
        try directory.tamper(sql)
        let inspection = try inspect()
        #expect(inspection.state == .refused && inspection.problems.count == 1)
        #expect(inspection.problems.first?.contains(finding) == true)
    }
}

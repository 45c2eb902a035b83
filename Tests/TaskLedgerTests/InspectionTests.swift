// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import TaskLedger

@Suite("An inspection tells all that is wrong with a ledger, and changes nothing of it")
struct InspectionTests {
    let folder: LedgerFolder

    init() throws { folder = try LedgerFolder() }

    private func makeLedger() async throws {
        let ledger = try Ledger.open(path: folder.path)
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1]), note("once"),
            wait(.request(fullRequest(1)), for: ["heat"], at: 1),
            .setDeferrals(WaitKey(of: .request(fullRequest(1))), [deferral(1)]),
            .setFetch(feed, FetchSchedule(interval: .seconds(60), last: time(1))),
        ])
        try ledger.close()
    }

    private func inspect() throws -> LedgerInspection {
        let before = try folder.files()
        let inspection = LedgerInspection(path: folder.path)
        #expect(try folder.files() == before)
        return inspection
    }

    @Test func `a sound one tells its version and what is pending`() async throws {
        try await makeLedger()
        let inspection = try inspect()
        #expect(inspection.state == .readable(version: LedgerInspection.knownVersion))
        #expect(inspection.problems.isEmpty && inspection.pendingRequests == 1)
        #expect(inspection.snapshot?.pendingPlugins == [feed] && inspection.snapshot?.fetches.count == 1)
    }

    @Test func `where none is yet, none is made`() throws {
        #expect(try inspect().state == .absent)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        try Data().write(to: URL(filePath: folder.path))
        #expect(try inspect().state == .absent)
    }

    @Test(arguments: ["journal", "wait", "payload"]) func `damage in a table that no start reads is found`(
        table: String
    ) async throws {
        try await makeLedger()
        try folder.damage(table)
        let inspection = try inspect()
        #expect(inspection.state == .refused && !inspection.problems.isEmpty)
        #expect(inspection.problems.allSatisfy { $0.contains(folder.path) && $0.contains("restore it from a copy") })
    }

    @Test(arguments: ["journal", "wait", "deferral", "fetch_schedule"]) func `rows that refer to nothing are found`(
        table: String
    ) async throws {
        try await makeLedger()
        try folder.tamper("PRAGMA foreign_keys = OFF; UPDATE \(table) SET plugin = 4711")
        let inspection = try inspect()
        #expect(inspection.state == .refused)
        #expect(inspection.problems.first?.contains("rows of table \(table) refer to rows of plugin") == true)
    }

    @Test func `a newer one is named as that`() async throws {
        try await makeLedger()
        try folder.tamper("PRAGMA user_version = 99")
        let inspection = try inspect()
        #expect(inspection.state == .refused)
        #expect(inspection.problems.count == 1 && inspection.problems[0].contains("has version 99, this host knows"))
    }

    @Test func `every plugin whose pending rows cannot be read is named, and the number of requests is left open`()
        async throws
    {
        let ledger = try Ledger.open(path: folder.path)
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .storeRequest(plainRequest(2, of: cleaner), payload: []),
        ])
        try ledger.close()
        try folder.tamper("UPDATE request SET kind = 77")
        let inspection = try inspect()
        #expect(inspection.state == .refused && inspection.pendingRequests == nil)
        #expect(inspection.problems.count == 2)
        #expect(
            inspection.problems.allSatisfy { $0.contains("table request, number") && $0.contains("kind holds \"77\"") }
        )
    }

    @Test(arguments: [
        ("DELETE FROM payload", "submission 1 has 0 of its 1 bytes of payload"),
        ("UPDATE payload SET bytes = x'0102'", "submission 1 has 2 of its 1 bytes of payload"),
        ("INSERT INTO payload VALUES (9, x'01')", "submission 9 has 1 of its 0 bytes of payload"),
    ])
    func `a payload that is lost, of another size or of no work is found`(sql: String, finding: String) async throws {
        try await makeLedger()
        try folder.tamper(sql)
        let inspection = try inspect()
        #expect(inspection.state == .refused && inspection.problems.count == 1)
        #expect(inspection.problems.first?.contains(finding) == true)
    }
}

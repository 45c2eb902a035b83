// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A write-ahead log that does not belong to its ledger is refused and left unchanged")
struct ForeignLogTests {
    let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    private var log: URL { URL(filePath: directory.path + "-wal") }

    private func makeLedger(in directory: LedgerDirectory, requests: Int) async throws {
        let ledger = try Ledger.open(path: directory.path)
        for number in 1...requests { try await ledger.commitAndWait([note("entry \(number)")]) }
        try ledger.close()
    }

    private func refusal() throws -> LedgerError {
        let before = try directory.files()
        let error = try ledgerError { try Ledger.open(path: directory.path) }
        #expect(try directory.files() == before)
        #expect(error.code == .damaged && error.message.contains(directory.path))
        return error
    }

    @Test
    func `a file at the write-ahead log's path that is no write-ahead log is refused with a remedy`() async throws {
        try await makeLedger(in: directory, requests: 1)
        try Data(repeating: 0x5a, count: 10_000).write(to: log)
        #expect(try refusal().message.contains("it is not a write-ahead log; restore the write-ahead log"))
    }

    @Test func `a write-ahead log with a damaged header is refused`() async throws {
        try await makeLedger(in: directory, requests: 1)
        try leaveLog(in: directory)
        var bytes = try Data(contentsOf: log)
        bytes[17] ^= 1
        try bytes.write(to: log)
        #expect(try refusal().message.contains("its header is damaged"))
    }

    @Test func `a write-ahead log with another page size than the ledger is refused`() async throws {
        let other = try LedgerDirectory()
        try other.tamper("PRAGMA page_size = 8192; CREATE TABLE song (title TEXT)")
        try leaveLog(in: other, "CREATE TABLE other (title TEXT)")
        try await makeLedger(in: directory, requests: 1)
        try Data(contentsOf: URL(filePath: other.path + "-wal")).write(to: log)
        #expect(try refusal().message.contains("pages have 8192 bytes, the ledger's have 4096"))
    }

    @Test func `a write-ahead log whose ledger is missing or empty is refused`() async throws {
        try await makeLedger(in: directory, requests: 1)
        try leaveLog(in: directory)
        try FileManager.default.removeItem(atPath: directory.path)
        #expect(try refusal().message.contains("is missing or empty"))
        try Data().write(to: URL(filePath: directory.path))
        #expect(try refusal().message.contains("move \(directory.path)-wal aside"))
    }

    @Test func `a write-ahead log of a ledger that was replaced by an older, shorter copy is refused`() async throws {
        try await makeLedger(in: directory, requests: 1)
        let copy = try Data(contentsOf: URL(filePath: directory.path))
        try await makeLedger(in: directory, requests: 300)
        try leaveLog(in: directory)
        try copy.write(to: URL(filePath: directory.path))
        let message = try refusal().message
        #expect(message.contains("the commit count of the ledger is 1 without the log and 302 with it"), "\(message)")
        #expect(LedgerInspection(path: directory.path).problems.contains { message.hasPrefix($0) })
    }

    @Test func `an older write-ahead log beside a newer ledger is refused`() async throws {
        try await makeLedger(in: directory, requests: 1)
        try leaveLog(in: directory)
        let older = try Data(contentsOf: log)
        try await makeLedger(in: directory, requests: 20)
        try older.write(to: log)
        #expect(try refusal().message.contains("is not a usable log of its ledger"))
    }

    @Test
    func `the write-ahead log of a killed host is accepted before and after an interrupted checkpoint`() async throws {
        var host = directory
        for round in 1...4 {
            let ledger = try Ledger.open(path: host.path)
            for entry in 1...round { try await ledger.commitAndWait([note("\(entry)")]) }
            let killed = try host.copy()
            // As after an interrupted checkpoint: the ledger file is newer than the beginning of its log.
            try await ledger.database.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
            let halfWay = try host.copy()
            try ledger.close()
            for files in [killed, halfWay] {
                let next = try Ledger.open(path: files.path)
                #expect(try next.journal(JournalSelection(newestFirst: true, limit: 1)).first?.message == "\(round)")
                try next.close()
            }
            host = killed
        }
    }

    @Test
    func `a write-ahead log beside a ledger that counts no commits is accepted after a full check of both`() throws {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[2].name)
        try older.close()
        try leaveLog(in: directory, "UPDATE counter SET last = 7")
        let damaged = try directory.copy()
        try damaged.damage("journal")
        #expect(try ledgerError { try Ledger.open(path: damaged.path) }.message.contains("is damaged"))
        let ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().lastLaunch == 7)
        try ledger.close()
    }

    @Test func `a write-ahead log that contains the migration of its ledger is accepted`() async throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        let pool = try DatabasePool(path: directory.path, configuration: configuration)
        try LedgerSchema.migrator.migrate(pool, upTo: LedgerSchema.steps[2].name)
        try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try LedgerSchema.migrator.migrate(pool)
        let killed = try directory.copy()
        try pool.close()
        let ledger = try Ledger.open(path: killed.path)
        try await ledger.commitAndWait([note("on")])
        try ledger.close()
        #expect(LedgerInspection(path: killed.path).problems.isEmpty)
    }

    @Test func `the commit count is read from its database page for small and large values`() throws {
        for commits in [0, 1, 2, 127, 128, 40_000, 9_000_000, 3_000_000_000, 1 << 44, Int64.max] {
            let directory = try LedgerDirectory()
            try Ledger.open(path: directory.path).close()
            try directory.tamper("UPDATE counter SET commits = \(commits)")
            let page = try #require(try directory.rootPage(of: "counter"))
            let count = CommitCount(path: directory.path, pageSize: 4_096, page: page)
            #expect(try count.read() == commits)
            #expect(try CommitCount(path: directory.path, pageSize: 4_096, page: page + 1).read() == nil)
        }
    }

    @Test
    func `opening a ledger reads neither payloads nor history, with or without a leftover write-ahead log`()
        async throws
    {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.storeRequest(fullRequest(1), payload: [1]), note("once")])
        try await ledger.database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try await ledger.commitAndWait([.storeRequest(fullRequest(2, "clean"), payload: [])])
        let killed = try directory.copy()
        try ledger.close()
        for files in [directory, killed] {
            for table in ["payload", "journal", "launch"] { try files.damage(table) }
            let next = try Ledger.open(path: files.path)
            #expect(try next.work(of: feed).requests.map(\.number) == [1, 2])
            try next.close()
            #expect(!LedgerInspection(path: files.path).problems.isEmpty)
        }
    }

    @Test func `the write-ahead log that the last host left is accepted with its ledger`() async throws {
        try await makeLedger(in: directory, requests: 1)
        try leaveLog(in: directory)
        let ledger = try Ledger.open(path: directory.path)
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    /// Leaves a write-ahead log beside the ledger, as a killed host does.
    private func leaveLog(
        in directory: LedgerDirectory,
        _ sql: String =
            "UPDATE counter SET commits = commits + 1; UPDATE journal SET message = 'changed' WHERE number = 1"
    ) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        let pool = try DatabasePool(path: directory.path, configuration: configuration)
        try pool.writeWithoutTransaction { try $0.execute(sql: sql) }
        let (ledger, log) = (URL(filePath: directory.path), URL(filePath: directory.path + "-wal"))
        let (before, changes) = (try Data(contentsOf: ledger), try Data(contentsOf: log))
        try pool.close()
        try before.write(to: ledger)
        try changes.write(to: log)
    }
}

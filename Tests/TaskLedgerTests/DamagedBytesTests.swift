// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A ledger with flipped bits or missing bytes is refused, or read without a crash")
struct DamagedBytesTests {
    private static let commits = 12
    private static let flips = 400

    private let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    /// The files of a killed host with `commits` commits in the write-ahead log, each with one journal entry.
    private func killedHost() async throws -> LedgerDirectory {
        try Ledger.open(path: directory.path).close()
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            _ = try database.checkpoint(.truncate)
        }
        for number in 1...Self.commits { try await ledger.commitAndWait([note("entry \(number)")]) }
        let killed = try directory.copy()
        try ledger.close()
        return killed
    }

    /// The offsets in the log at which its transactions end.
    private func ends(of log: Data) -> [Int] {
        stride(from: 32, to: log.count, by: 24 + 4_096)
            .filter { log[$0 + 4..<$0 + 8] != Data([0, 0, 0, 0]) }.map { $0 + 24 + 4_096 }
    }

    private func flip(_ bytes: Data, at offset: Int, bit: Int) -> Data {
        var changed = bytes
        changed[offset] ^= 1 << UInt8(bit)
        return changed
    }

    /// Opens the ledger; returns its journal messages, or nil after a refusal that left the files unchanged.
    private func messages(in directory: LedgerDirectory, _ context: String) throws -> [String]? {
        let before = try directory.files()
        do {
            let ledger = try Ledger.open(path: directory.path)
            defer { try? ledger.close() }
            return try ledger.journal(JournalSelection(limit: 100)).map(\.message)
        } catch {
            #expect(error.message.contains(directory.path), "\(context): \(error)")
            #expect(error.code == .damaged || error.code == .unreadable, "\(context): \(error)")
            let after = try directory.files()
            #expect(after == before, "\(context): \(error) changed \(after.keys)")
            return nil
        }
    }

    @Test func `a flipped bit in the write-ahead log is refused, except in its last two transactions`() async throws {
        let killed = try await killedHost()
        let log = try #require(try killed.files()["ledger.sqlite-wal"])
        let ends = ends(of: log)
        #expect(ends.count == Self.commits && ends.last == log.count)
        let expected = (1...Self.commits).map { "entry \($0)" }
        #expect(try messages(in: killed.copy(), "no flip") == expected)

        var chance = SystemRandomNumberGenerator()
        var refusals = 0
        for _ in 1...Self.flips {
            let (offset, bit) = (Int.random(in: 0..<log.count, using: &chance), Int.random(in: 0..<8, using: &chance))
            let damaged = try killed.copy()
            try flip(log, at: offset, bit: bit).write(to: URL(filePath: damaged.path + "-wal"))
            let context = "bit \(bit) of byte \(offset) of the log"
            guard let found = try messages(in: damaged, context) else {
                refusals += 1
                continue
            }
            // Damage of the last two transactions may look like an incomplete one; the commits before are all there.
            #expect(offset >= ends[Self.commits - 3], "\(context): found \(found.count) entries")
            #expect(found == Array(expected.prefix(found.count)) && found.count >= Self.commits - 2, "\(context)")
        }
        #expect(refusals > Self.flips / 2)
    }

    @Test func `a flipped bit in each byte of a frame's header in the middle of the write-ahead log is refused`()
        async throws
    {
        let killed = try await killedHost()
        let log = try #require(try killed.files()["ledger.sqlite-wal"])
        let end = ends(of: log)[4]
        // The header of the last frame of the fifth transaction, and the beginning of its page.
        for offset in (end - 24 - 4_096)..<(end - 4_096 + 8) {
            let damaged = try killed.copy()
            try flip(log, at: offset, bit: offset % 8).write(to: URL(filePath: damaged.path + "-wal"))
            #expect(try messages(in: damaged, "byte \(offset)") == nil)
        }
    }

    @Test func `the refusal of a damaged log names the remedy, which keeps the commits before the damage`()
        async throws
    {
        let killed = try await killedHost()
        let log = try #require(try killed.files()["ledger.sqlite-wal"])
        try flip(log, at: ends(of: log)[6] + 24 + 100, bit: 3).write(to: URL(filePath: killed.path + "-wal"))
        let error = try ledgerError { try Ledger.open(path: killed.path) }
        #expect(error.code == .damaged)
        #expect(error.message.contains("\(killed.path)-wal is damaged at frame"), "\(error)")
        #expect(error.message.contains("restore \(killed.path) and \(killed.path)-wal from a copy"), "\(error)")
        #expect(error.message.contains("sqlite3 \(killed.path) 'PRAGMA wal_checkpoint(TRUNCATE)'"), "\(error)")
        let inspection = LedgerInspection(path: killed.path)
        let problem = try #require(inspection.problems.first)
        #expect(inspection.state == .refused && error.message.hasPrefix(problem))

        // SQLite's own program keeps the commits before the damage.
        try killed.tamper("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try messages(in: killed, "after the remedy") == (1...7).map { "entry \($0)" })
    }

    @Test func `an incomplete last transaction in the write-ahead log is ignored, not refused as damage`() async throws
    {
        let killed = try await killedHost()
        let log = try #require(try killed.files()["ledger.sqlite-wal"])
        let ends = ends(of: log)
        for size in [ends[10] + 1, ends[10] + 24 + 4_096, log.count - 1] {
            let torn = try killed.copy()
            try log.prefix(size).write(to: URL(filePath: torn.path + "-wal"))
            #expect(try messages(in: torn, "\(size) bytes")?.count == Self.commits - 1)
        }
        // The pages of the last transaction reached the disk in another order.
        let torn = try killed.copy()
        var bytes = log
        bytes.replaceSubrange(ends[10]..<ends[10] + 1_000, with: Data(count: 1_000))
        try bytes.write(to: URL(filePath: torn.path + "-wal"))
        #expect(try messages(in: torn, "missing page")?.count == Self.commits - 1)
    }

    @Test
    func `a flipped bit in the file of a ledger leads to a refusal, or to reads that return or throw a ledger error`()
        async throws
    {
        let ledger = try Ledger.open(path: directory.path)
        for number in 1...40 {
            try await ledger.commitAndWait([
                .storeRequest(fullRequest(Int64(number), "task\(number)"), payload: [UInt8(number)]), note("\(number)"),
            ])
        }
        try ledger.close()
        let bytes = try #require(try directory.files()["ledger.sqlite"])
        var chance = SystemRandomNumberGenerator()
        for round in 1...Self.flips {
            // Half of the flips hit headers and the roots of tables.
            let most = round.isMultiple(of: 2) ? bytes.count : 8 * 4_096
            let (offset, bit) = (Int.random(in: 0..<most, using: &chance), Int.random(in: 0..<8, using: &chance))
            let context = "bit \(bit) of byte \(offset) of the ledger"
            let damaged = try LedgerDirectory()
            try flip(bytes, at: offset, bit: bit).write(to: URL(filePath: damaged.path))
            _ = LedgerInspection(path: damaged.path)
            try read(damaged, context)
        }
    }

    @Test func `a truncated ledger file is refused, unless less than a page is missing and its entries are complete`()
        async throws
    {
        let ledger = try Ledger.open(path: directory.path)
        for number in 1...40 { try await ledger.commitAndWait([note("\(number)")]) }
        try ledger.close()
        let bytes = try #require(try directory.files()["ledger.sqlite"])
        for size in stride(from: 1, to: bytes.count, by: 1_361) {
            let damaged = try LedgerDirectory()
            try bytes.prefix(size).write(to: URL(filePath: damaged.path))
            let problems = LedgerInspection(path: damaged.path).problems
            if let found = try messages(in: damaged, "\(size) bytes") {
                #expect(found.count == 40 && problems.isEmpty && size > bytes.count - 4_096, "\(size) bytes")
            } else {
                #expect(!problems.isEmpty, "\(size) bytes")
            }
        }
    }

    /// Opens a damaged ledger and reads all of it. Every failure has to be a `LedgerError` that names the file.
    private func read(_ directory: LedgerDirectory, _ context: String) throws {
        let before = try directory.files()
        let ledger: Ledger
        do {
            ledger = try Ledger.open(path: directory.path)
        } catch {
            #expect(error.message.contains(directory.path), "\(context): \(error)")
            #expect(try directory.files()["ledger.sqlite"] == before["ledger.sqlite"], "\(context): \(error)")
            return
        }
        defer { try? ledger.close() }
        let reads: [() throws -> Void] = [
            { for plugin in try ledger.snapshot().pendingPlugins { _ = try ledger.work(of: plugin) } },
            { _ = try ledger.journal(JournalSelection(limit: 100)) },
            { _ = try ledger.launches(limit: 9, plugin: feed) },
        ]
        for attempt in reads {
            do {
                try attempt()
            } catch let error as LedgerError {
                #expect(error.message.contains(directory.path), "\(context): \(error)")
            }
        }
    }

    @Test func `a ledger with a damaged table of plugin users is refused`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try ledger.recordUser(index: 3, of: feed)
        let (page, size) = try await ledger.database.read { database in
            let root = try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'plugin_user'")
            return (try #require(root), try #require(try Int.fetchOne(database, sql: "PRAGMA page_size")))
        }
        try ledger.close()
        var bytes = try Data(contentsOf: URL(filePath: directory.path))
        // The header of the page, with its type and the number of its cells.
        bytes.replaceSubrange((page - 1) * size..<(page - 1) * size + 8, with: Data(repeating: 0x55, count: 8))
        try bytes.write(to: URL(filePath: directory.path))
        let error = #expect(throws: LedgerError.self) { try Ledger.open(path: directory.path) }
        #expect(error?.code == .damaged, "\(String(describing: error))")
    }
}

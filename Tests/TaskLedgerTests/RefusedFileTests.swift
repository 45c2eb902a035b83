// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A file that is not a ledger of this host is refused and left unchanged")
struct RefusedFileTests {
    let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    private func makeLedger() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.storeRequest(fullRequest(1), payload: [1]), note("once")])
        try ledger.close()
    }

    /// Opens the ledger and expects a refusal that leaves every file unchanged. Returns the refusal.
    private func refusal() throws -> LedgerError {
        let before = try directory.files()
        let error = try ledgerError { try Ledger.open(path: directory.path) }
        #expect(try directory.files() == before)
        #expect(error.message.contains(directory.path))
        return error
    }

    @Test func `a ledger whose header has a newer version is refused with the remedy`() async throws {
        try await makeLedger()
        try directory.tamper("PRAGMA user_version = \(LedgerSchema.version + 1)")
        let error = try refusal()
        #expect(error.code == .newer)
        #expect(error.message.contains("has version \(LedgerSchema.version + 1), but this host supports versions"))
        #expect(error.message.contains("start the newer bgtaskd that wrote the ledger"))
    }

    @Test func `a ledger whose newer version is still in the write-ahead log is refused`() async throws {
        try await makeLedger()
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        let newer = try DatabasePool(path: directory.path, configuration: configuration)
        try await newer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = \(LedgerSchema.version + 1)")
        }
        #expect(try directory.files()["ledger.sqlite-wal"]?.isEmpty == false)
        #expect(try refusal().code == .newer)
        try newer.close()
    }

    @Test func `a ledger with an unknown migration is refused`() async throws {
        try await makeLedger()
        try directory.tamper("INSERT INTO grdb_migrations VALUES ('2: notes of the moon')")
        let error = try refusal()
        #expect(error.code == .newer)
        #expect(error.message.contains("migration step \"2: notes of the moon\", which this host"))
    }

    @Test func `the database of another program is refused`() throws {
        try directory.tamper("CREATE TABLE song (title TEXT)")
        #expect(try refusal().code == .notALedger)
        try directory.tamper("PRAGMA application_id = 4711")
        #expect(try refusal().code == .notALedger)
    }

    @Test(arguments: [1, 1_000]) func `a text file in the place of a ledger is refused as damaged`(lines: Int) throws {
        try Data(String(repeating: "no database at all\n", count: lines).utf8).write(to: URL(filePath: directory.path))
        let error = try refusal()
        #expect(error.code == .damaged)
        #expect(error.message.contains("is not an SQLite database; restore the ledger from a copy, or move"))
    }

    @Test func `a ledger with overwritten pages is refused as damaged`() async throws {
        try await makeLedger()
        let file = try FileHandle(forUpdating: URL(filePath: directory.path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0x5a, count: Int(size) - 4_096))
        try file.close()
        let error = try refusal()
        #expect(error.code == .damaged)
        #expect(error.message.contains("restore the ledger from a copy"))
    }

    @Test(arguments: ["request", "event", "deferral", "known_plugin", "fetch_schedule", "occasion"])
    func `a ledger with damage in a table that every start reads is refused`(table: String) async throws {
        try await makeLedger()
        try directory.damage(table)
        #expect(try refusal().code == .damaged)
    }

    @Test func `a truncated ledger is refused as damaged`() async throws {
        try await makeLedger()
        let file = try FileHandle(forUpdating: URL(filePath: directory.path))
        try file.truncate(atOffset: 2 * 4_096)
        try file.close()
        #expect(try refusal().code == .damaged)
    }

    @Test func `a ledger in a missing directory is refused with a remedy`() throws {
        let path = directory.url.appending(path: "missing/ledger.sqlite").path(percentEncoded: false)
        let error = try ledgerError { try Ledger.open(path: path) }
        #expect(error.code == .cannotOpen)
        #expect(error.message.contains("\(path) cannot be opened: No such file or directory; create its directory"))
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, "free space on its disk"), (.SQLITE_IOERR_SHMSIZE, "free space on its disk"),
        (.SQLITE_IOERR_FSYNC, "check the kernel's log for disk errors"),
        (.SQLITE_READONLY, "let the host's user write the file"), (.SQLITE_CANTOPEN, "RLIMIT_NOFILE"),
        (.SQLITE_BUSY, "end the other program"), (.SQLITE_CORRUPT, "restore the ledger from a copy"),
        (.SQLITE_NOMEM, "give the host more memory"),
    ]) func `a failure of SQLite names the file and the remedy for its cause`(code: ResultCode, remedy: String) {
        let error = LedgerError(DatabaseError(resultCode: code), while: "opening it", in: directory.path)
        #expect(error.message.hasPrefix("ledger \(directory.path) failed at opening it: SQLite \(code.rawValue)"))
        #expect(error.message.contains(remedy) && error.sqliteCode == code.rawValue)
    }

    @Test func `an empty file or an empty database left by an earlier start is accepted`() async throws {
        try Data().write(to: URL(filePath: directory.path))
        let ledger = try Ledger.open(path: directory.path)
        try ledger.close()

        let second = try LedgerDirectory()
        try second.tamper(
            "PRAGMA journal_mode = WAL; CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"
        )
        let other = try Ledger.open(path: second.path)
        try await other.commitAndWait([note("fine")])
        try other.close()
    }

    @Test func `the files of a new ledger are accessible only to their owner`() throws {
        let ledger = try Ledger.open(path: directory.path)
        for name in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        try ledger.close()
    }
}

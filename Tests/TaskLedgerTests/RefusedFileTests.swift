// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A file that is no ledger of this host is refused and left as it was")
struct RefusedFileTests {
    let folder: LedgerFolder

    init() throws { folder = try LedgerFolder() }

    private func makeLedger() async throws {
        let ledger = try Ledger.open(path: folder.path)
        try await ledger.commitAndWait([.storeRequest(fullRequest(1), payload: [1]), note("once")])
        try ledger.close()
    }

    /// The refusal, after which every file of the folder must be what it was.
    private func refusal() throws -> LedgerError {
        let before = try folder.files()
        let error = try ledgerError { try Ledger.open(path: folder.path) }
        #expect(try folder.files() == before)
        #expect(error.message.contains(folder.path))
        return error
    }

    @Test func `a newer version in the file's header`() async throws {
        try await makeLedger()
        try folder.tamper("PRAGMA user_version = 9")
        let error = try refusal()
        #expect(error.code == .newer)
        #expect(error.message.contains("has version 9, this host knows versions up to \(LedgerSchema.version)"))
        #expect(error.message.contains("start the newer bgtaskd that wrote it"))
    }

    @Test func `a newer version that is still in the write-ahead log`() async throws {
        try await makeLedger()
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        let newer = try DatabasePool(path: folder.path, configuration: configuration)
        try await newer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = \(LedgerSchema.version + 1)")
        }
        #expect(try folder.files()["ledger.sqlite-wal"]?.isEmpty == false)
        #expect(try refusal().code == .newer)
        try newer.close()
    }

    @Test func `a migration that this host does not know`() async throws {
        try await makeLedger()
        try folder.tamper("INSERT INTO grdb_migrations VALUES ('2: notes of the moon')")
        let error = try refusal()
        #expect(error.code == .newer)
        #expect(error.message.contains("\"2: notes of the moon\""))
    }

    @Test func `another program's database`() throws {
        try folder.tamper("CREATE TABLE song (title TEXT)")
        #expect(try refusal().code == .notALedger)
        try folder.tamper("PRAGMA application_id = 4711")
        #expect(try refusal().code == .notALedger)
    }

    @Test(arguments: [1, 1_000]) func `a text`(lines: Int) throws {
        try Data(String(repeating: "no database at all\n", count: lines).utf8).write(to: URL(filePath: folder.path))
        let error = try refusal()
        #expect(error.code == .damaged)
        #expect(error.message.contains("is not an SQLite database; restore it from a copy, or move it"))
    }

    @Test func `a ledger whose pages were overwritten`() async throws {
        try await makeLedger()
        let file = try FileHandle(forUpdating: URL(filePath: folder.path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0x5a, count: Int(size) - 4_096))
        try file.close()
        let error = try refusal()
        #expect(error.code == .damaged)
        #expect(error.message.contains("restore it from a copy"))
    }

    @Test(arguments: ["request", "event", "deferral", "known_plugin", "fetch_schedule", "occasion"])
    func `a ledger with damage in a table that every start reads`(table: String) async throws {
        try await makeLedger()
        try folder.damage(table)
        #expect(try refusal().code == .damaged)
    }

    @Test func `a ledger that was cut off`() async throws {
        try await makeLedger()
        let file = try FileHandle(forUpdating: URL(filePath: folder.path))
        try file.truncate(atOffset: 2 * 4_096)
        try file.close()
        #expect(try refusal().code == .damaged)
    }

    @Test func `a folder that is not there is named with the remedy`() throws {
        let path = folder.url.appending(path: "missing/ledger.sqlite").path(percentEncoded: false)
        let error = try ledgerError { try Ledger.open(path: path) }
        #expect(error.code == .cannotOpen)
        #expect(error.message.contains("\(path) cannot be opened: No such file or directory; create its folder"))
    }

    @Test func `a file that an earlier start left empty is no hindrance`() async throws {
        try Data().write(to: URL(filePath: folder.path))
        let ledger = try Ledger.open(path: folder.path)
        try ledger.close()

        let second = try LedgerFolder()
        try second.tamper(
            "PRAGMA journal_mode = WAL; CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"
        )
        let other = try Ledger.open(path: second.path)
        try await other.commitAndWait([note("fine")])
        try other.close()
    }

    @Test func `the file of a new ledger is its owner's alone`() throws {
        let ledger = try Ledger.open(path: folder.path)
        for name in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        try ledger.close()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import LinuxSystem
import StatementTraits
import TaskModel
import Testing

@testable import TaskLedger

@Suite("An upgrade of the schema makes a copy first, with which an older host can continue")
struct CopyTests {
    private let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    /// Every version that a host upgrades.
    private static let older = Array(1..<Int(LedgerSchema.version))

    /// Creates the ledger file that a host of the version would leave, with one plugin.
    private func makeLedger(ofVersion version: Int, in directory: LedgerDirectory) throws {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[version - 1].name)
        try older.close()
        try directory.tamper("INSERT INTO plugin (identifier) VALUES ('com.example.feed')")
    }

    private func makeLedger(ofVersion version: Int) throws { try makeLedger(ofVersion: version, in: directory) }

    private func copy(_ version: Int) -> LedgerCopy { LedgerCopy(of: directory.path, version: Int64(version)) }

    /// The schema, the version and the rows of the ledger's tables, as text.
    private func contents(of path: String) throws -> [String] {
        let database = try DatabaseQueue(path: path)
        let contents = try database.read { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            let version = try String.fetchAll(database, sql: "PRAGMA user_version")
            let schema = try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_schema ORDER BY name")
            let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            let rows = try tables.sorted().flatMap { try Row.fetchAll(database, sql: "SELECT * FROM \($0)") }
            return version + (schema + rows).map(\.description)
        }
        try database.close()
        return contents
    }

    @Test(arguments: older) func `an upgrade from each older version keeps a complete copy of the ledger`(
        version: Int
    ) throws {
        try makeLedger(ofVersion: version)
        let before = try contents(of: directory.path)
        let ledger = try Ledger.open(path: directory.path)
        #expect(ledger.upgrade == LedgerUpgrade(copy: copy(version), to: LedgerSchema.version))
        try ledger.close()
        #expect(LedgerCopy.all(of: directory.path) == [copy(version)])
        #expect(try contents(of: copy(version).path) == before)
        #expect(try directory.files().keys.sorted() == ["ledger.sqlite", "ledger.sqlite.version-\(version)"])
    }

    @Test func `a new ledger and a ledger of the present version are not copied`() throws {
        for _ in 1...2 {
            let ledger = try Ledger.open(path: directory.path)
            #expect(ledger.upgrade == nil)
            try ledger.close()
        }
        #expect(LedgerCopy.all(of: directory.path).isEmpty)
    }

    @Test func `a copy contains the changes that are only in the write-ahead log`() throws {
        try makeLedger(ofVersion: 7)
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        let pool = try DatabasePool(path: directory.path, configuration: configuration)
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "UPDATE counter SET commits = commits + 1, launch = 41")
        }
        let killed = try directory.copy()
        try pool.close()
        #expect(try killed.files()["ledger.sqlite-wal"] != nil)
        let ledger = try Ledger.open(path: killed.path)
        try ledger.close()
        let copied = try DatabaseQueue(path: LedgerCopy(of: killed.path, version: 7).path)
        #expect(try copied.read { try Int64.fetchOne($0, sql: "SELECT launch FROM counter") } == 41)
        try copied.close()
    }

    @Test(.proves("C21"), arguments: [15, 18])
    func `a copy has no device token, also not in its free space, and its tokens have ended`(version: Int) throws {
        try makeLedger(ofVersion: version)
        let tail = [UInt8](repeating: 0xb7, count: PushToken.size - 1)
        let database = try DatabaseQueue(path: directory.path)
        try database.writeWithoutTransaction { database in
            // As in a file of an SQLite without this default.
            try database.execute(sql: "PRAGMA secure_delete = OFF")
            for number in 2...200 as ClosedRange<UInt8> {
                let plugin = "INSERT INTO plugin (id, identifier) VALUES (?, ?)"
                try database.execute(sql: plugin, arguments: [number, "com.example.p\(number)"])
                let columns = version < 18 ? "(plugin, token, issued_at)" : "(plugin, token, issued_at, digest)"
                let values = version < 18 ? "(?, ?, 1)" : "(?, ?, 1, CAST('\(number)' AS BLOB))"
                try database.execute(
                    sql: "INSERT INTO push_token \(columns) VALUES \(values)",
                    arguments: [number, Data([number] + tail)]
                )
            }
            try database.execute(sql: "DELETE FROM push_token WHERE plugin % 2 = 0")
        }
        try database.close()
        #expect(try Data(contentsOf: URL(filePath: directory.path)).range(of: Data(tail)) != nil)
        try Ledger.open(path: directory.path).close()
        #expect(try Data(contentsOf: URL(filePath: copy(version).path)).range(of: Data(tail)) == nil)
        let copied = try DatabaseQueue(path: copy(version).path)
        let counts = try copied.read { database in
            try ["push_token", "ended_push_token"].map { try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") }
        }
        try copied.close()
        #expect(counts == [0, version < 18 ? 0 : 99])
    }

    @Test(arguments: [0o600, 0o640]) func `a copy has the mode and the owner of the ledger`(mode: Int) throws {
        try makeLedger(ofVersion: 7)
        chmod(directory.path, mode_t(mode))
        let owner: uid_t = getuid() == 0 ? 4_711 : getuid()
        if getuid() == 0 { chown(directory.path, owner, 4_712) }
        let ledger = try Ledger.open(path: directory.path)
        try ledger.close()
        var status = stat()
        #expect(stat(copy(7).path, &status) == 0)
        #expect(Int(status.st_mode & 0o7777) == mode && status.st_uid == owner)
        #expect(status.st_gid == (getuid() == 0 ? 4_712 : getgid()))
    }

    @Test func `an upgrade keeps the copies of the two newest versions and deletes unfinished ones`() throws {
        for version in [2, 4, 5] {
            try Data([1]).write(to: URL(filePath: copy(version).path))
            for suffix in ["", "-wal", "-shm"] {
                try Data([1]).write(to: URL(filePath: copy(version).path + ".partial" + suffix))
            }
        }
        try Data([1]).write(to: URL(filePath: directory.path + ".version-x"))
        try makeLedger(ofVersion: 6)
        let ledger = try Ledger.open(path: directory.path)
        try ledger.close()
        #expect(
            try directory.files().keys.sorted() == [
                "ledger.sqlite", "ledger.sqlite.version-5", "ledger.sqlite.version-6", "ledger.sqlite.version-x",
            ]
        )
        #expect(try directory.files()["ledger.sqlite.version-5"] == Data([1]))
    }

    /// The size of the ledger in bytes, with the pages in the write-ahead log.
    private func size() throws -> Int {
        let database = try DatabaseQueue(path: directory.path)
        let pages = try database.read { try Int.fetchOne($0, sql: "PRAGMA page_count") }
        try database.close()
        return try #require(pages) * 4_096
    }

    // MARK: - Failed copies and failed steps

    /// Opens the ledger and expects a refusal that leaves the ledger unchanged.
    private func refusal(_ hooks: LedgerHooks = LedgerHooks()) throws -> LedgerError {
        let before = try contents(of: directory.path)
        let error = try ledgerError { try Ledger.open(path: directory.path, hooks: hooks) }
        #expect(try contents(of: directory.path) == before)
        #expect(error.message.contains(directory.path))
        return error
    }

    @Test(arguments: older) func `an upgrade without space for the copy is refused before any change`(
        version: Int
    ) throws {
        try makeLedger(ofVersion: version)
        let error = try refusal(LedgerHooks(freeBytes: { _ in 0 }))
        #expect(error.code == .notCopied)
        #expect(error.message.contains("cannot be upgraded from version \(version) to \(LedgerSchema.version)"))
        #expect(
            error.message.hasSuffix("which has 0 KiB free; free space there and start again; the ledger is unchanged")
        )
        let words = error.message.split(separator: " ")
        let number = try #require(words.firstIndex(of: "need").map { words[$0 + 1] })
        let needed = try #require(Int64(number)) << 10
        #expect(try needed >= 3 * size())
        #expect(try refusal(LedgerHooks(freeBytes: { _ in needed - 1 })).code == .notCopied)
        #expect(LedgerCopy.all(of: directory.path).isEmpty)
        let ledger = try Ledger.open(path: directory.path, hooks: LedgerHooks(freeBytes: { _ in needed }))
        try ledger.close()
    }

    @Test(arguments: older)
    func `an upgrade whose copy cannot be made is refused; the next start makes the copy and upgrades the ledger`(
        version: Int
    ) throws {
        try makeLedger(ofVersion: version)
        // A directory at the place of the copy, which no rename replaces.
        let place = URL(filePath: copy(version).path)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let error = try ledgerError { try Ledger.open(path: directory.path) }
        #expect(error.code == .notCopied)
        #expect(error.message.contains("its copy \(copy(version).path) cannot be made: cannot rename"))
        #expect(error.message.contains("move the file or directory \(place.path) away"))
        try FileManager.default.removeItem(at: place)
        #expect(LedgerInspection(path: directory.path).state == .readable(version: Int64(version)))
        #expect(!FileManager.default.fileExists(atPath: copy(version).path + ".partial"))
        let ledger = try Ledger.open(path: directory.path)
        #expect(ledger.upgrade?.copy == copy(version))
        try ledger.close()
    }

    @Test(arguments: older.filter { $0 < 9 })
    func `an upgrade that fails in a step leaves the ledger in its version, without a copy`(
        version: Int
    ) throws {
        try makeLedger(ofVersion: version)
        // The step fails that creates this table.
        try directory.tamper("CREATE TABLE plugin_pause (plugin TEXT)")
        let error = try refusal()
        #expect(error.message.contains("plugin_pause"))
        #expect(LedgerCopy.all(of: directory.path).isEmpty)
        try directory.tamper("DROP TABLE plugin_pause")
        try Ledger.open(path: directory.path).close()
    }

    @Test(arguments: older) func `an upgrade whose commit fails keeps the copy, and the next start upgrades the ledger`(
        version: Int
    ) throws {
        try makeLedger(ofVersion: version)
        let hooks = LedgerHooks(beforeUpgradeCommit: { throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) })
        let before = try contents(of: directory.path)
        #expect(try refusal(hooks).code != .notCopied)
        #expect(LedgerCopy.all(of: directory.path) == [copy(version)])
        #expect(try contents(of: copy(version).path) == before)
        let ledger = try Ledger.open(path: directory.path)
        #expect(ledger.upgrade?.copy == copy(version))
        try ledger.close()
        #expect(try contents(of: copy(version).path) == before)
    }

    @Test(arguments: [
        (SystemError(number: ENOSPC, attempt: "write"), "free space on its disk"),
        (SystemError(number: EIO, attempt: "write"), "bgtask host check"),
        (SystemError(number: EMFILE, attempt: "open"), "RLIMIT_NOFILE"),
        (SystemError(number: EISDIR, attempt: "rename"), "move the file or directory /var/copy away"),
        (SystemError(number: EPERM, attempt: "give"), "give the ledger to the host's user"),
        (SystemError(number: EACCES, attempt: "create"), "let the host's user write the directory"),
    ])
    func `the message about a copy that cannot be made has the remedy for its cause`(
        cause: SystemError,
        remedy: String
    ) {
        let error = LedgerError.cannotCopy("/var/ledger", to: "/var/copy", version: 7, cause: cause)
        #expect(error.message.contains(remedy) && error.message.hasSuffix("start again; the ledger is unchanged"))
    }

    @Test
    func `synchronizing a write-ahead log succeeds for a file or no log, and fails for a FIFO or a symbolic link`()
        throws
    {
        let log = directory.path + "-wal"
        // No log: nothing to write.
        try Ledger.synchronizeLog(of: directory.path)
        try Data([1]).write(to: URL(filePath: log))
        try Ledger.synchronizeLog(of: directory.path)
        unlink(log)
        // The kernel refuses to synchronize a FIFO, so that the error proves the call.
        #expect(mkfifo(log, 0o600) == 0)
        let held = open(log, O_RDWR | O_CLOEXEC)
        defer { close(held) }
        let refused = #expect(throws: SystemError.self) { try Ledger.synchronizeLog(of: directory.path) }
        #expect(refused?.number == EINVAL && refused?.attempt == "synchronize \(log)")
        unlink(log)
        symlink("ledger.sqlite-wal", log)
        let unopened = #expect(throws: SystemError.self) { try Ledger.synchronizeLog(of: directory.path) }
        #expect(unopened?.number == ELOOP)
    }

    @Test func `an upgrade for which the disk is too full leaves the ledger in its version`() throws {
        try makeLedger(ofVersion: 3)
        let pages = try size() / 4_096
        let error = try refusal(LedgerHooks(maximumPages: pages))
        #expect(error.message.contains("free space on its disk"), "\(error)")
        #expect(LedgerInspection(path: directory.path).state == .readable(version: 3))
        try Ledger.open(path: directory.path).close()
    }

    // MARK: - Rollback

    @Test(arguments: older) func `the copy of an upgrade, moved to the ledger's path, is the ledger before the upgrade`(
        version: Int
    ) async throws {
        try makeLedger(ofVersion: version)
        let before = try contents(of: directory.path)
        var ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.storeRequest(fullRequest(1), payload: [1])])
        try ledger.close()

        let aside = try LedgerDirectory()
        try FileManager.default.moveItem(atPath: directory.path, toPath: aside.path)
        try FileManager.default.copyItem(atPath: copy(version).path, toPath: directory.path)
        #expect(LedgerInspection(path: directory.path).state == .readable(version: Int64(version)))
        #expect(try contents(of: directory.path) == before)

        // The newer host upgrades it again, and replaces the copy.
        ledger = try Ledger.open(path: directory.path)
        #expect(ledger.upgrade?.copy == copy(version))
        #expect(try ledger.work(of: feed).requests.isEmpty)
        try ledger.close()
        #expect(try contents(of: copy(version).path) == before)
    }

    @Test func `the refusal of a newer ledger names the copy that this host can use`() throws {
        try Ledger.open(path: directory.path).close()
        for version in [LedgerSchema.version + 1, LedgerSchema.version, LedgerSchema.version - 1] {
            try Data([1]).write(to: URL(filePath: copy(Int(version)).path))
        }
        try directory.tamper("PRAGMA user_version = \(LedgerSchema.version + 2)")
        let error = try ledgerError { try Ledger.open(path: directory.path) }
        #expect(error.code == .newer)
        #expect(error.message.contains("roll back to the copy \(copy(Int(LedgerSchema.version)).path), which lacks"))
    }
}

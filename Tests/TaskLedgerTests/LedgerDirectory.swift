// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskLedger
import Testing

/// A temporary directory for one ledger, deleted after the test.
final class LedgerDirectory {
    let url: URL
    var path: String { url.appending(path: "ledger.sqlite").path(percentEncoded: false) }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The contents of all non-empty files by name, except the index of the write-ahead log, which SQLite rebuilds.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
        where !name.hasSuffix("-shm") {
            files[name] = try Data(contentsOf: url.appending(path: name))
        }
        return files.filter { !$0.value.isEmpty }
    }

    /// Copies the files to another directory.
    func copy() throws -> LedgerDirectory {
        let copy = try LedgerDirectory()
        for (name, bytes) in try files() { try bytes.write(to: copy.url.appending(path: name)) }
        return copy
    }

    /// Changes a closed ledger with SQL, as another program might.
    func tamper(_ sql: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        try database.close()
    }

    /// The number of the first page of a table, from 1; nil if the table is missing. Leaves the write-ahead log
    /// unchanged.
    func rootPage(of table: String) throws -> Int? {
        var configuration = Configuration()
        configuration.readonly = true
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        let database = try DatabaseQueue(path: path, configuration: configuration)
        let page = try database.read { try Int.fetchOne($0, sql: sql, arguments: [table]) }
        try database.close()
        return page
    }

    /// Overwrites the first page of a table.
    func damage(_ table: String) throws {
        let page = try #require(try rootPage(of: table))
        let file = try FileHandle(forUpdating: url.appending(path: "ledger.sqlite"))
        try file.seek(toOffset: UInt64(page - 1) * 4_096)
        try file.write(contentsOf: Data(repeating: 0x5a, count: 4_096))
        try file.close()
    }
}

/// The `LedgerError` that `body` throws. Fails the test if it throws another error or none.
func ledgerError<Value>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Value
) throws -> LedgerError {
    try #require(#expect(throws: LedgerError.self, sourceLocation: sourceLocation) { _ = try body() })
}

func ledgerError(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async throws -> LedgerError {
    try #require(await #expect(throws: LedgerError.self, sourceLocation: sourceLocation) { try await body() })
}

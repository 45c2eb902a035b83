// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import StatementTraits
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The copy of a ledger for a backup has one committed state; a restored ledger has a higher incarnation")
struct BackupTests {
    private let directory: LedgerDirectory

    init() throws { directory = try LedgerDirectory() }

    /// An empty file for a copy.
    private func place() throws -> String {
        let place = directory.url.appending(path: "copy.sqlite").path(percentEncoded: false)
        try Data().write(to: URL(filePath: place))
        return place
    }

    @Test func `the copy of an open ledger has the commits of the write-ahead log, and no later ones`() async throws {
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.storeRequest(fullRequest(1), payload: [1])])
        try ledger.recordUser(index: 3, of: feed)
        let place = try place()
        let inspection = try LedgerBackup(of: directory.path, isInUse: true).write(to: place)
        try await ledger.commitAndWait([.removeRequest(SubmissionNumber(rawValue: 1))])
        try ledger.close()
        #expect(inspection.state == .readable(version: LedgerSchema.version))
        #expect(inspection.pendingRequests == 1 && inspection.userIndexes == [feed: 3])
        #expect(LedgerInspection(path: place).pendingRequests == 1)
        #expect(LedgerInspection(path: directory.path).pendingRequests == 0)
    }

    @Test(.proves("C21"))
    func `the copy of a ledger for a backup has no valid device token, also not in its free space`()
        async throws
    {
        let bytes = (0..<UInt8(PushToken.size)).map { 0xa0 + $0 }
        let token = try #require(PushToken(bytes: bytes))
        let ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.changePushToken(feed, .issue(token), at: time(1))])
        let place = try place()
        _ = try LedgerBackup(of: directory.path, isInUse: true).write(to: place)
        #expect(try ledger.state(of: token) == .valid(feed))
        try ledger.close()
        #expect(try Data(contentsOf: URL(filePath: place)).range(of: Data(bytes)) == nil)
        let copy = try Ledger.open(path: place)
        #expect(try copy.pushTokens().isEmpty)
        guard case .ended(feed, _) = try copy.state(of: token) else {
            Issue.record("the token of the copy has not ended")
            return
        }
        try copy.close()
    }

    @Test(.proves("C21"))
    func `a backup has no device token, also of a ledger whose free space has tokens`() async throws {
        let plugins = try (0..<150).map { try #require(PluginIdentifier("com.example.p\($0)")) }
        let tokens = try plugins.indices.map { index in
            try #require(PushToken(bytes: [0xa0, UInt8(index)] + [UInt8](repeating: 0xb7, count: PushToken.size - 2)))
        }
        let ledger = try Ledger.open(path: directory.path)
        // As in a file of an SQLite without this default.
        try await ledger.database.write { try $0.execute(sql: "PRAGMA secure_delete = OFF") }
        for (plugin, token) in zip(plugins, tokens) {
            try await ledger.commitAndWait([.changePushToken(plugin, .issue(token), at: time(1))])
        }
        try await ledger.commitAndWait(plugins.prefix(75).map { .changePushToken($0, .revoke, at: time(2)) })
        let place = try place()
        let inspection = try LedgerBackup(of: directory.path, isInUse: true).write(to: place)
        #expect(inspection.problems.isEmpty)
        try ledger.close()
        let tail = Data(repeating: 0xb7, count: PushToken.size - 2)
        #expect(try Data(contentsOf: URL(filePath: directory.path)).range(of: tail) != nil)
        #expect(try Data(contentsOf: URL(filePath: place)).range(of: tail) == nil)
    }

    @Test func `a missing ledger, an empty one and a newer one are not copied`() throws {
        let place = try place()
        for isInUse in [false, true] {
            #expect(throws: LedgerError.self) {
                try LedgerBackup(of: directory.path, isInUse: isInUse).write(to: place)
            }
        }
        try Data().write(to: URL(filePath: directory.path))
        #expect { try LedgerBackup(of: directory.path, isInUse: false).write(to: place) } throws: { error in
            "\(error)".contains("there is no ledger")
        }
        let ledger = try Ledger.open(path: directory.path)
        try ledger.close()
        try directory.tamper("PRAGMA user_version = 1000")
        #expect { try LedgerBackup(of: directory.path, isInUse: false).write(to: place) } throws: { error in
            (error as? LedgerError)?.code == .newer
        }
    }

    @Test func `the incarnation begins with 1, rises in the transaction of its journal entry, and never falls`()
        async throws
    {
        var ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.incarnation() == 1)
        try await ledger.commitAndWait([.raiseIncarnation(7), note("restored")])
        try await ledger.commitAndWait([.raiseIncarnation(3)])
        #expect(try ledger.incarnation() == 7)
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).incarnation == 7)
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.incarnation() == 7)
        try ledger.close()
    }

    @Test func `a ledger of version 9 has incarnation 1 after a migration, and its commit count is still found`()
        async throws
    {
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[8].name)
        try older.close()
        let ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.incarnation() == 1)
        try await ledger.commitAndWait([note("once")])
        let killed = try directory.copy()
        try ledger.close()
        #expect(LedgerInspection(path: killed.path).problems.isEmpty)
        #expect(LedgerInspection(path: killed.path).incarnation == 1)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Pauses of plugins are stored until they end or the record of their plugin is deleted")
struct PauseTests {
    private let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")

    @Test func `a pause is read back as it was set last, with its end and its user`() async throws {
        let ledger = try Ledger.inMemory()
        let bounded = PluginPause(since: time(1), until: time(9), user: user)
        try await ledger.commitAndWait([.setPause(feed, bounded), .setPause(cleaner, PluginPause(since: time(2)))])
        #expect(try ledger.snapshot().pauses == [feed: bounded, cleaner: PluginPause(since: time(2))])
        let later = PluginPause(since: time(3), user: CallingUser(uid: 0, pid: 1, command: nil))
        try await ledger.commitAndWait([.setPause(feed, later), .setPause(cleaner, nil), .setPause(keyboard, nil)])
        #expect(try ledger.snapshot().pauses == [feed: later])
    }

    @Test func `the pause of a plugin is deleted with the plugin's record`() async throws {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([
            .rememberPlugin(KnownPlugin(entry(feed))), .setPause(feed, PluginPause(since: time(1))),
            .setPause(cleaner, PluginPause(since: time(1))), .forgetPlugin(feed),
        ])
        #expect(try ledger.snapshot().pauses.keys.sorted() == [cleaner])
    }

    @Test func `a ledger of version 8 has no pauses after a migration, and accepts new ones`() async throws {
        let directory = try LedgerDirectory()
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[7].name)
        try older.close()
        var ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().pauses.isEmpty)
        let pause = PluginPause(since: time(1), until: time(2), user: user)
        try await ledger.commitAndWait([.setPause(feed, pause)])
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().pauses == [feed: pause])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }
}

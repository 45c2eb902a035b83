// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The uses of plugins are stored until the record of their plugin is deleted")
struct UseTests {
    private func uses(_ hours: Int64...) -> UseHistogram {
        var uses = UseHistogram(firstUse: hours[0])
        for hour in hours.dropFirst() { _ = uses.note(hour) }
        return uses
    }

    @Test func `uses are read back as they were set last, also from a reopened ledger`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([.setUses(feed, uses(500_000)), .setUses(cleaner, uses(500_001))])
        try await ledger.commitAndWait([.setUses(feed, uses(500_000, 500_168))])
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.snapshot().uses == [feed: uses(500_000, 500_168), cleaner: uses(500_001)])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `the uses of a plugin are deleted with the plugin's record`() async throws {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([
            .rememberPlugin(KnownPlugin(entry(feed))), .setUses(feed, uses(1)), .setUses(cleaner, uses(1)),
            .forgetPlugin(feed),
        ])
        #expect(try ledger.snapshot().uses.keys.sorted() == [cleaner])
    }

    @Test func `uses with another number of hours than a week has are ignored`() async throws {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([.setUses(feed, uses(1)), .setUses(cleaner, uses(1))])
        try await ledger.database.write { database in
            try database.execute(
                sql: "UPDATE plugin_use SET weights = x'0102' WHERE plugin = (SELECT min(plugin) FROM plugin_use)"
            )
        }
        #expect(try ledger.snapshot().uses == [cleaner: uses(1)])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import GRDB

/// The database in the plugin's container.
struct FeedStore: Sendable {
    private let database: DatabasePool

    /// Of a refresh and an export, which are processes of their own, one may write while the other reads.
    static func inContainer() throws -> FeedStore {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let file = try Settings.container().appending(path: "colors.sqlite")
        let database = try DatabasePool(path: file.path, configuration: configuration)
        try migrator.migrate(database)
        return FeedStore(database: database)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("entries and what is known of their feeds") { database in
            try database.create(table: "feed") { table in
                table.primaryKey("address", .text)
                table.column("tag", .text)
            }
            try database.create(table: "entry") { table in
                table.column("feed", .text).notNull()
                table.column("id", .text).notNull()
                table.column("title", .text).notNull()
                table.column("link", .text).notNull()
                table.column("color", .text).notNull()
                table.column("published", .datetime).notNull().indexed()
                table.primaryKey(["feed", "id"])
            }
        }
        return migrator
    }

    // MARK: For the refresh

    func tag(of feed: URL) async throws -> String? {
        try await database.read { database in
            try String.fetchOne(
                database,
                sql: "SELECT tag FROM feed WHERE address = ?",
                arguments: [feed.absoluteString]
            )
        }
    }

    /// Entries and tag in one transaction: a tag without its entries would hide them for ever.
    ///
    /// - Returns: how many were not there yet.
    func keep(_ entries: [FeedEntry], tag: String?, of feed: URL) async throws -> Int {
        try await database.write { database in
            let before = try FeedEntry.fetchCount(database)
            for var entry in entries {
                // What has no date grows old from the day on which it was first seen.
                if !entry.isDated,
                    let known = try FeedEntry.fetchOne(database, key: ["feed": entry.feed, "id": entry.id])
                {
                    entry.published = known.published
                }
                try entry.upsert(database)
            }
            try database.execute(
                sql: "INSERT INTO feed VALUES (?, ?) ON CONFLICT DO UPDATE SET tag = excluded.tag",
                arguments: [feed.absoluteString, tag]
            )
            return try FeedEntry.fetchCount(database) - before
        }
    }

    // MARK: For the export

    func entries() async throws -> [FeedEntry] { try await database.read { try FeedEntry.fetchAll($0) } }

    // MARK: For the cleaning

    /// - Returns: how many were deleted; fewer than `most` when no more are that old.
    func delete(_ most: Int, olderThan date: Date) throws -> Int {
        try database.write { database in
            try database.execute(
                sql: "DELETE FROM entry WHERE rowid IN (SELECT rowid FROM entry WHERE published < ? LIMIT ?)",
                arguments: [date, most]
            )
            return database.changesCount
        }
    }

    /// Ends what goes on, from any thread, with an error; nothing when nothing does.
    func interrupt() { database.interrupt() }

    /// Gives free space back to the file system.
    func vacuum() throws {
        try database.vacuum()
        try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
}

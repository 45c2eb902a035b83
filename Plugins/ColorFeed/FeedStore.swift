// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import GRDB

/// The database in the plugin's container.
struct FeedStore: Sendable {
    private let database: DatabasePool

    /// Opens the database. A refresh and an export are separate processes, so that one may write while the other reads.
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

    /// Stores entries and the server's entity tag in one transaction. If only the tag were stored, the server would
    /// answer later requests with "unchanged", and the entries would be lost.
    ///
    /// - Returns: the number of new entries.
    func keep(_ entries: [FeedEntry], tag: String?, of feed: URL) async throws -> Int {
        try await database.write { database in
            let before = try FeedEntry.fetchCount(database)
            for var entry in entries {
                // An entry without a date ages from the day on which it was first seen.
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

    /// Deletes entries from before a date, at most `most`.
    ///
    /// - Returns: the number of deleted entries; fewer than `most` when no older ones are left.
    func delete(_ most: Int, olderThan date: Date) throws -> Int {
        try database.write { database in
            try database.execute(
                sql: "DELETE FROM entry WHERE rowid IN (SELECT rowid FROM entry WHERE published < ? LIMIT ?)",
                arguments: [date, most]
            )
            return database.changesCount
        }
    }

    /// Interrupts the running statement, which then throws. Safe from any thread; without a running statement it has no
    /// effect.
    func interrupt() { database.interrupt() }

    /// Returns free space to the file system.
    func vacuum() throws {
        try database.vacuum()
        try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
}

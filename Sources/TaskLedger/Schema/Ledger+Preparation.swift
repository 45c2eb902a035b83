// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

extension Ledger {
    /// Makes a fresh connection durable and brings its tables up to date.
    static func prepare(_ database: any DatabaseWriter, hooks: LedgerHooks) throws {
        let version = try database.writeWithoutTransaction { database in
            // Only now: the pool itself sets NORMAL, under which a power cut may take acknowledged commits.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // Savepoints then need no space in the folder for temporary files.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            try database.execute(sql: "PRAGMA journal_size_limit = 16777216")
            if let pages = hooks.maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // A file on a read-only disk opens all the same; the host must hear of it now, not at its first commit.
            try database.inTransaction(.immediate) { .rollback }
            return try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        }
        if version < LedgerSchema.version {
            try LedgerSchema.migrator.migrate(database)
            // The header of the file then has the version, without the write-ahead log.
            try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
        try database.write { database in
            try database.closeVainWaits()
            try database.removeVainDeferrals()
        }
    }
}

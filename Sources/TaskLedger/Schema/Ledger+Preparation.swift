// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB

extension Ledger {
    /// Configures a new connection for durability, and migrates its tables. A ledger with an older schema is copied
    /// before.
    ///
    /// - Parameter place: the path of the ledger, or `memory`.
    /// - Returns: the upgrade of the schema; nil when the ledger is new or has the present version.
    static func prepare(_ database: any DatabaseWriter, in place: String, hooks: LedgerHooks) throws -> LedgerUpgrade? {
        let version = try database.writeWithoutTransaction { database in
            // Set here, because the pool has set NORMAL, under which a power failure can lose acknowledged commits.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // Savepoints then need no space in the directory for temporary files.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            try database.execute(sql: "PRAGMA journal_size_limit = 16777216")
            if let pages = hooks.maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // A file on a read-only disk can be opened; this makes the start fail instead of the first commit.
            try database.inTransaction(.immediate) { .rollback }
            return try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        }
        var upgrade: LedgerUpgrade?
        if version < LedgerSchema.version {
            let copy = version > 0 ? LedgerCopy(of: place, version: version) : nil
            if let copy {
                try database.writeWithoutTransaction { try copy.make(from: $0, freeBytes: hooks.freeBytes) }
                upgrade = LedgerUpgrade(copy: copy, to: LedgerSchema.version)
            }
            do {
                try LedgerSchema.upgrade(database)
            } catch {
                // The ledger is unchanged, so the copy has no use but takes space.
                copy?.remove()
                throw error
            }
            // The header of the file then contains the version, even without the write-ahead log.
            try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            if copy != nil { LedgerCopy.removeOutdated(of: place) }
        }
        try database.write { database in
            try database.closeVainWaits()
            try database.removeVainDeferrals()
        }
        return upgrade
    }
}

/// A completed upgrade of the schema of a ledger.
package struct LedgerUpgrade: Hashable, Sendable {
    /// The copy of the ledger before the upgrade.
    package let copy: LedgerCopy
    /// The schema version after the upgrade.
    package let to: Int64
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Glibc
import LinuxSystem
import Synchronization

extension Ledger {
    /// Configures a new connection for durability, and upgrades the schema of a new or older ledger. Ends the waits and
    /// deletes the deferral periods of classes without pending work.
    ///
    /// - Parameter copy: the copy of the older ledger, which is deleted when the upgrade fails before its commit; nil
    ///   for no copy.
    static func prepare(_ database: any DatabaseWriter, copy: LedgerCopy?, hooks: LedgerHooks) throws {
        let path = database.path
        let version = try database.writeWithoutTransaction { database in
            // Set here, because the pool has set NORMAL, under which a power failure can lose acknowledged commits.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try synchronizeLog(of: path)
            // Savepoints then need no space in the directory for temporary files.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            try database.execute(sql: "PRAGMA journal_size_limit = 16777216")
            // SQLite else leaves ended device tokens in the free space of the file.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            if let pages = hooks.maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // A file on a read-only disk can be opened; this makes the start fail instead of the first commit.
            try database.inTransaction(.immediate) { .rollback }
            return try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        }
        if version < LedgerSchema.version {
            let isCommitting = Mutex(false)
            do {
                try LedgerSchema.upgrade(database) {
                    isCommitting.withLock { $0 = true }
                    try hooks.beforeUpgradeCommit?()
                }
            } catch {
                // The upgrade is one transaction: before its commit the ledger is unchanged, and the copy takes space
                // without a use. A commit that failed, such as in fsync, may be on disk in part.
                if !isCommitting.withLock({ $0 }) { copy?.remove() }
                throw error
            }
            // The header of the file then contains the version, even without the write-ahead log.
            try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
        try database.write { database in
            try database.closeVainWaits()
            try database.removeVainDeferrals()
        }
    }

    /// Writes the log to the disk. The database library begins a new log with a commit that it does not synchronize:
    /// after a power failure its damage would look like damage before acknowledged commits.
    static func synchronizeLog(of path: String) throws(SystemError) {
        let attempt = "synchronize \(path)-wal"
        let log = Descriptor(owning: Glibc.open("\(path)-wal", O_RDONLY | O_CLOEXEC))
        if log.number < 0 {
            if errno == ENOENT { return }
            throw SystemError(number: errno, attempt: attempt)
        }
        if fsync(log.number) != 0 { throw SystemError(number: errno, attempt: attempt) }
    }
}

/// A completed upgrade of the schema of a ledger.
package struct LedgerUpgrade: Hashable, Sendable {
    /// The copy that was made of the ledger before the upgrade.
    package let copy: LedgerCopy
    /// The schema version after the upgrade.
    package let to: Int64
}

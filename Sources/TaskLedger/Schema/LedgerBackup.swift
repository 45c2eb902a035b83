// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import LinuxSystem
import TaskModel

/// Copies a ledger for a backup, by SQLite's online backup. The host of the ledger may run and commit meanwhile: the
/// copy contains one committed state, with the changes of the write-ahead log. The device tokens have ended in it.
package struct LedgerBackup: Hashable {
    /// Path of the file of the ledger.
    package let ledger: String
    /// Whether a host uses the ledger. Its files then change while they are examined, so that only SQLite reads them.
    package let isInUse: Bool

    package init(of ledger: String, isInUse: Bool) { (self.ledger, self.isInUse) = (ledger, isInUse) }

    /// Copies the ledger into the empty file at `copy`, and inspects the whole copy. Throws for a missing or damaged
    /// ledger, and for one that this program does not support. The caller deletes the copy after a failure.
    package func write(to copy: String) throws(LedgerError) -> LedgerInspection {
        let file = LedgerFile(path: ledger)
        if !isInUse { guard try file.exists() else { throw .nothingToBackUp(ledger) } }
        try file.readOnly("copying it for a backup") { database in
            guard try file.judgeVersion(of: database) else { throw LedgerError.nothingToBackUp(ledger) }
            let now = SystemClock().now().wall
            try database.copy(toEmptyFile: copy) { try $0.dropPushTokens(at: now) }
        }
        return LedgerInspection(path: copy)
    }
}

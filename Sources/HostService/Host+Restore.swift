// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import LinuxSystem
import TaskLedger
import TaskModel

// The first start after a restore.
extension Host {
    /// Begins the incarnation of a restored ledger, with the journal entry `restored`, ends its device tokens,
    /// and deletes the mark of the restore. A host that was killed between the two begins the incarnation once. Does nothing without a mark.
    func recordRestore(in state: StateDirectory, _ ledger: Ledger) async throws {
        guard let mark = try RestoreMark.read(in: state.path) else { return }
        if try ledger.incarnation() < mark.incarnation {
            let entry = JournalEntry(
                at: SystemClock().now().wall,
                event: .restored,
                plugin: nil,
                blame: .nobody,
                message: "the host continues from a backup of \(mark.takenAt), made by version \(mark.version);"
                    + " incarnation \(mark.incarnation) of the ledger begins; changes after the backup are lost"
            )
            // A token may have been rotated since the backup, and the host of the backup may still run.
            let tokens = try ledger.pushTokens().map { LedgerChange.changePushToken($0.plugin, .revoke, at: entry.at) }
            try await ledger.commitAndWait([.raiseIncarnation(mark.incarnation), .journal(entry)] + tokens)
        }
        RestoreMark.remove(from: state.path)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import LinuxSystem
import TaskLedger
import TaskModel

// The call by which `bgtask host backup` lets the host record a backup. The command itself has read the state
// directory.
extension ControlRoutes {
    func recordBackup(_ report: BackupReport) async throws -> BackupReportReply {
        try report.check()
        let entry = JournalEntry(
            at: SystemClock().now().wall,
            event: .backedUp,
            plugin: nil,
            blame: .nobody,
            message: "the backup \(report.file) was made; the SHA-256 of its manifest is \(report.sha256)",
            user: caller?.callingUser
        )
        do {
            try await ledger.commitAndWait([.journal(entry)])
        } catch {
            if error.code == .closed { throw RouteError(.hostStopping()) }
            throw RouteError(.notRecorded, "\(error)")
        }
        return BackupReportReply(incarnation: facts.incarnation)
    }
}

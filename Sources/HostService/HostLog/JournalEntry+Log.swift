// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import TaskLedger
import TaskModel

extension JournalEntry {
    /// The fields of the log line about this entry.
    var logFields: Logger.Metadata {
        var fields: Logger.Metadata = ["event": "\(event.name)", "blame": "\(blame.rawValue)"]
        fields["plugin"] = plugin.map { "\($0)" }
        fields["launch"] = launch.map { "\($0)" }
        fields["task"] = label.map { "\($0)" }
        fields["submission"] = submission.map { "\($0)" }
        return fields
    }
}

extension CommittedGroup {
    /// The journal entries of the group.
    var entries: [JournalEntry] {
        let entries = changes.flatMap { $0 }.compactMap { change in
            if case .journal(let entry) = change { return entry }
            return nil
        }
        return entries + added
    }

    /// Logs each journal entry as a line, which programs select by its fields. Entries without a blame, such as
    /// successes, have the level debug: their number has no limit, and systemd's journal drops lines above a rate.
    func log(to logger: Logger) {
        for entry in entries {
            let message = entry.message.isEmpty ? entry.event.row.meaning : entry.message
            logger.log(level: entry.blame == .nobody ? .debug : .info, "\(message)", metadata: entry.logFields)
        }
    }
}

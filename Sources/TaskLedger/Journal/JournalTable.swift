// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    func append(_ entry: JournalEntry, names: inout PluginNames) throws -> JournalNumber {
        let plugin = try entry.plugin.map { try names.number(of: $0, in: self) }
        try run(
            Journal.append,
            entry.at.nanoseconds,
            entry.event.name,
            plugin,
            entry.launch?.rawValue,
            entry.label,
            entry.submission?.rawValue,
            entry.blame.rawValue,
            entry.message,
            entry.successor?.rawValue,
            entry.count.map(Int64.init),
            (entry.user?.uid).map(Int64.init),
            (entry.user?.pid).map(Int64.init),
            entry.user?.command,
            entry.claim?.item,
            entry.claim?.fence,
            entry.claim?.boundCode,
            entry.isLeaseLost ? Int64(1) : nil
        )
        let number = JournalNumber(rawValue: database.lastInsertedRowID)
        if let task = entry.endedTask { try record(task.outcome, of: task.launch, task.submission) }
        return number
    }
}

extension JournalEntry {
    /// The task whose outcome this entry records; nil for an entry about anything else, and for an outcome without a
    /// launch or a submission.
    var endedTask: (outcome: TaskOutcome, launch: LaunchNumber, submission: SubmissionNumber)? {
        guard case .task(let outcome) = event, let launch, let submission else { return nil }
        return (outcome, launch, submission)
    }
}

extension Database {
    func journal(_ selection: JournalSelection) throws -> [JournalRecord] {
        let found = try selection.parts.map(entries)
        if let only = found.first, found.count == 1 { return only }
        let ordered = found.flatMap { $0 }.sorted {
            selection.newestFirst ? $0.number > $1.number : $0.number < $1.number
        }
        return Array(ordered.prefix(selection.limit))
    }

    private func entries(_ selection: JournalSelection) throws -> [JournalRecord] {
        let (sql, arguments) = selection.statement
        return try rows(sql, arguments, of: "journal") { row in
            JournalRecord(
                number: JournalNumber(rawValue: try row.integer("number")),
                at: try row.wallTime("at"),
                event: try row.text("event"),
                plugin: try row.optional("identifier") { try $0.plugin($1) },
                launch: try row.optional("launch") { try $0.launch($1) },
                label: try row.optionalText("label"),
                submission: try row.optional("submission") { try $0.submission($1) },
                blame: try row.name("blame"),
                message: try row.text("message"),
                successor: try row.optional("successor") { try $0.submission($1) },
                count: try row.optional("count") { try $0.count($1) },
                user: try row.callingUser(),
                claim: try row.claim(),
                isLeaseLost: try row.optional("lease_lost") { try $0.integer($1) } != nil
            )
        }
    }
}

extension RowReader {
    /// The user in columns `user_id`, `user_process` and `user_command`; nil when the row names no user.
    mutating func callingUser() throws -> CallingUser? {
        let uid = try optional("user_id") { try $0.integer($1) }
        let pid = try optional("user_process") { try $0.integer($1) }
        let command = try optionalText("user_command")
        guard let uid, let pid else { return nil }
        return CallingUser(uid: UInt32(truncatingIfNeeded: uid), pid: Int32(truncatingIfNeeded: pid), command: command)
    }
}

private enum Journal {
    static let append = StatementText(
        """
        INSERT INTO journal (at, event, plugin, launch, label, submission, blame, message, successor, count,
            user_id, user_process, user_command, claim_item, claim_fence, claim_bound, lease_lost)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
}

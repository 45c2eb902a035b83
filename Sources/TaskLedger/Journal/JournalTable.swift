// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension Database {
    func append(_ entry: JournalEntry, names: inout PluginNames) throws -> JournalNumber {
        try run(
            """
            INSERT INTO journal (at, event, plugin, launch, label, submission, blame, message)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                entry.at.nanoseconds, entry.event.name, try names.number(of: entry.plugin, in: self),
                entry.launch?.rawValue, entry.label, entry.submission?.rawValue, entry.blame.rawValue, entry.message,
            ]
        )
        let number = JournalNumber(rawValue: lastInsertedRowID)
        if case .task(let outcome) = entry.event, let launch = entry.launch, let submission = entry.submission {
            try record(outcome, of: launch, submission)
        }
        return number
    }

    func journal(_ selection: JournalSelection) throws -> [JournalRecord] {
        var arguments: StatementArguments = [selection.after?.rawValue ?? 0]
        var conditions = ["number > ?"]
        if let plugin = selection.plugin {
            conditions.append("journal.plugin = (SELECT id FROM plugin WHERE identifier = ?)")
            arguments += [plugin.text]
        }
        if let launch = selection.launch {
            conditions.append("launch = ?")
            arguments += [launch.rawValue]
        }
        if let label = selection.label {
            conditions.append("label = ?")
            arguments += [label]
        }
        let sql = """
            SELECT number, at, event, identifier, launch, label, submission, blame, message
            FROM journal JOIN plugin ON plugin.id = journal.plugin
            WHERE \(conditions.joined(separator: " AND "))
            ORDER BY number \(selection.newestFirst ? "DESC" : "ASC") LIMIT ?
            """
        return try rows(sql, arguments + [selection.limit], of: "journal") { row in
            JournalRecord(
                number: JournalNumber(rawValue: try row.integer()),
                at: try row.wallTime(),
                event: try row.text(),
                plugin: try row.plugin(),
                launch: row.nextIsNull() ? nil : try row.launch(),
                label: try row.optionalText(),
                submission: row.nextIsNull() ? nil : try row.submission(),
                blame: try row.name(),
                message: try row.text()
            )
        }
    }
}

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
        let (sql, arguments) = selection.statement
        return try rows(sql, arguments, of: "journal") { row in
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

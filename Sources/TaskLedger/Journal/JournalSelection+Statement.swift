// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension JournalSelection {
    /// One selection for each name of an event in the filter: an index has the entries of one event in the order of
    /// numbers. The selection itself when the filter has at most one event.
    var parts: [JournalSelection] {
        if filter.events.count < 2 { return [self] }
        // An outcome of a task and one of a launch may have the same name, by which entries are stored.
        let byName = Dictionary(filter.events.map { ($0.name, $0) }) { first, _ in first }
        return byName.values.map { event in
            var part = self
            part.filter.events = [event]
            return part
        }
    }

    /// The SQL statement that reads the selected entries of a part, with its arguments. SQLite evaluates the
    /// conditions, and an index finds the rows.
    var statement: (sql: String, arguments: StatementArguments) {
        var conditions = ["number > ?"]
        var arguments: StatementArguments = [after?.rawValue ?? 0]
        func require(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            conditions.append(condition)
            arguments += [value]
        }
        require("number < ?", before?.rawValue)
        require("journal.plugin = (SELECT id FROM plugin WHERE identifier = ?)", filter.plugin?.text)
        require("launch = ?", filter.launch?.rawValue)
        require("label = ?", filter.label)
        require("event = ?", filter.events.first?.name)
        require("blame = ?", filter.blame?.rawValue)
        // The index has the entries with a claim in the order of numbers.
        if filter.hasClaim { conditions.append("claim_item IS NOT NULL AND (claim_item IS NOT NULL) = 1") }
        if outcomesOnly { conditions.append("+event IN (\(TaskOutcome.sqlList))") }
        // The index on time finds the first number; without the hint, SQLite would scan all numbers. Where the clock
        // was set back, numbers and times differ in order, so each entry's time is compared as well. The plus sign
        // keeps SQLite from using the index for that comparison, which would lose the order by number.
        require(
            "number >= (SELECT min(number) FROM journal INDEXED BY journal_by_time WHERE at >= ?)",
            filter.since?.nanoseconds
        )
        require("+at >= ?", filter.since?.nanoseconds)
        // A left join keeps the entries without a plugin. It also keeps the journal as the outer loop, in the order of
        // numbers: no sorting, and a limit ends the scan.
        let sql = """
            SELECT number, at, event, identifier, launch, label, submission, blame, message, successor, count,
                user_id, user_process, user_command, claim_item, claim_fence, claim_bound, lease_lost
            FROM journal LEFT JOIN plugin ON plugin.id = journal.plugin
            WHERE \(conditions.joined(separator: " AND "))
            ORDER BY number \(newestFirst ? "DESC" : "ASC") LIMIT ?
            """
        return (sql, arguments + [limit])
    }
}

extension TaskOutcome {
    /// The stored names of all outcomes as a list for the SQL operator IN.
    static let sqlList = allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Records the reasons that block the pending work of the key's plugin and class from `now` on: opens a row for
    /// every new reason, and closes the rows of reasons that ended. A reason that still applies keeps its row.
    func recordWait(_ key: WaitKey, reasons: [String], at now: WallTime, names: inout PluginNames) throws {
        let plugin = try names.number(of: key.plugin, in: self)
        let code = key.workClass.code
        let open = try texts(Wait.open, plugin, code)
        for reason in open where !reasons.contains(reason) {
            try run(Wait.close, now.nanoseconds, plugin, code, reason)
        }
        var known = Set(open)
        for reason in reasons where known.insert(reason).inserted {
            try run(Wait.begin, plugin, code, reason, now.nanoseconds)
        }
    }

    /// Deletes the open waits of a plugin whose record is removed, because no later change would close them. Closed
    /// waits are kept for as long as the journal.
    func forgetOpenWaits(ofPlugin number: Int64) throws { try run(Wait.forget, number) }
}

extension Database {
    /// The reason codes of the open waits of a plugin, by work class.
    func openWaits(ofPlugin id: Int64) throws -> [WorkClass: Set<String>] {
        var waits: [WorkClass: Set<String>] = [:]
        try forEachRow(Wait.openOfPlugin, [id], of: "wait") { row in
            waits[try row.workClass("class"), default: []].insert(try row.text("reason"))
        }
        return waits
    }

    /// Closes the open waits of work classes without pending work. A host that crashed between two commits may leave
    /// such waits. They end at the latest time in the journal, but not before they began.
    func closeVainWaits() throws {
        let open = try rows(Wait.openClasses, of: "wait") { row in
            (plugin: try row.integer("plugin"), code: try row.integer("class"))
        }
        for (plugin, code) in open where try !hasPendingWork(ofClass: code, plugin: plugin) {
            try run(Wait.closeVain, [plugin, code])
        }
    }

    /// The selected waits, ordered by their start.
    func waits(_ selection: WaitSelection) throws -> [WaitRecord] {
        let (closed, open) = (try waitRows(selection.closedRows), try waitRows(selection.openRows))
        let inOrder = { (left: NumberedWait, right: NumberedWait) in
            (left.record.since, left.number) < (right.record.since, right.number)
        }
        // The limit drops the waits that ended first.
        let newest = (closed.reversed() + open.sorted(by: inOrder)).suffix(selection.limit)
        return newest.sorted(by: inOrder).map(\.record)
    }

    private typealias NumberedWait = (number: Int64, record: WaitRecord)

    private func waitRows(_ statement: (sql: String, arguments: StatementArguments)) throws -> [NumberedWait] {
        try rows(statement.sql, statement.arguments, of: "wait") { row in
            let record = WaitRecord(
                reason: try row.text("reason"),
                since: try row.wallTime("since"),
                until: try row.optionalWallTime("until")
            )
            return (try row.integer("number"), record)
        }
    }
}

enum Wait {
    static let open = StatementText(
        "SELECT reason FROM wait WHERE plugin = ? AND class = ? AND until IS NULL ORDER BY reason"
    )
    /// The SQL statement that closes an open wait. If the clock was set back in between, the wait ends at its
    /// beginning, never before.
    static let close = StatementText(
        """
        UPDATE wait SET until = max(since, ?) WHERE plugin = ? AND class = ? AND reason = ? AND until IS NULL
        """
    )
    static let begin = StatementText("INSERT INTO wait (plugin, class, reason, since) VALUES (?, ?, ?, ?)")
    static let forget = StatementText("DELETE FROM wait WHERE plugin = ? AND until IS NULL")

    static let openOfPlugin = "SELECT number, class, reason FROM wait WHERE plugin = ? AND until IS NULL"
    static let openClasses = "SELECT DISTINCT plugin, class FROM wait WHERE until IS NULL"
    static let closeVain = """
        UPDATE wait SET until = max(since, coalesce((SELECT max(at) FROM journal), since))
        WHERE plugin = ? AND class = ? AND until IS NULL
        """
}

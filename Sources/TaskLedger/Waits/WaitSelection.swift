// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// The waits to read: all waits of one class of one plugin that overlap a time span.
package struct WaitSelection: Hashable, Sendable {
    package var key: WaitKey
    /// Start of the time span. Waits that ended before it are excluded.
    package var from: WallTime
    /// End of the time span. Waits that began after it are excluded. Nil for a span without end.
    package var to: WallTime?
    /// Maximum number of waits. When more waits overlap the span, those that ended first are omitted.
    package var limit: Int

    package init(key: WaitKey, from: WallTime, to: WallTime? = nil, limit: Int) {
        self.key = key
        self.from = from
        self.to = to
        self.limit = limit
    }

    /// Selects the waits of a task between its submission and its launch.
    package init(_ span: PendingSpan, limit: Int) {
        self.init(key: span.key, from: span.since, to: span.until, limit: limit)
    }
}

extension WaitSelection {
    /// The SQL query for the open waits, at most one row per reason.
    var openRows: (sql: String, arguments: StatementArguments) {
        ("\(Self.columns) AND until IS NULL AND since <= ?", owner + [end])
    }

    /// The SQL query for the ended waits, latest end first. An index has this order, so the query stops reading at the
    /// limit.
    var closedRows: (sql: String, arguments: StatementArguments) {
        (
            "\(Self.columns) AND until >= ? AND since <= ? ORDER BY until DESC LIMIT ?",
            owner + [from.nanoseconds, end, limit]
        )
    }

    private static let columns = """
        SELECT number, reason, since, until FROM wait
        WHERE plugin = (SELECT id FROM plugin WHERE identifier = ?) AND class = ?
        """

    private var owner: StatementArguments { [key.plugin.text, key.workClass.code] }

    private var end: Int64 { to?.nanoseconds ?? .max }
}

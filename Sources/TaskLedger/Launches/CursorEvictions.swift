// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Bounds the journal entries about cursors that a plugin's limit deletes. The first deletions of a minute have entries
/// of their own. Later ones are only counted: a plugin that rotates through too many identifiers does not displace the
/// history of other plugins.
struct CursorEvictions: Sendable {
    /// Maximum number of entries of a plugin in a period.
    static let limit = 10
    static let period: Duration = .seconds(60)

    private struct Period {
        let began: WallTime
        var entries = 0
        /// Number of deletions without an entry.
        var omitted = 0

        /// Whether the period has ended, or the clock was set back before its begin.
        func isOver(at now: WallTime) -> Bool { now < began || now >= began + CursorEvictions.period }
    }

    private var periods: [PluginIdentifier: Period] = [:]

    /// Counts the deletions that a written cursor has caused.
    ///
    /// - Parameter tasks: the tasks of the deleted cursors; may be empty.
    /// - Returns: the entries to write: that about omitted deletions of an earlier period, then those about `tasks`.
    mutating func entries(about tasks: [String], deletedBy change: CursorChange) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if let last = periods[change.plugin], last.isOver(at: change.at) {
            if last.omitted > 0 { entries.append(.cursorsTrimmed(last.omitted, by: change)) }
            periods[change.plugin] = nil
        }
        if tasks.isEmpty { return entries }
        var period = periods[change.plugin] ?? Period(began: change.at)
        let left = max(0, Self.limit - period.entries)
        entries += tasks.prefix(left).map { JournalEntry.cursorTrimmed(of: $0, by: change) }
        period.entries += min(left, tasks.count)
        period.omitted += max(0, tasks.count - left)
        periods[change.plugin] = period
        return entries
    }
}

extension JournalEntry {
    private static let trimmed = "the plugin has more than \(WriteAccess.mostCursors) cursors"
    private static let remedy = "complete finished tasks as succeeded, which deletes their cursors"

    /// The entry about a cursor that was deleted because the plugin had too many.
    fileprivate static func cursorTrimmed(of task: String, by change: CursorChange) -> JournalEntry {
        JournalEntry(
            at: change.at,
            event: .cursorCleared,
            plugin: change.plugin,
            label: task,
            blame: .plugin,
            message: "the cursor of \(task) is deleted: \(trimmed), and those of pending requests and the newest ones"
                + " stay longest; the next run begins from the start; \(remedy)"
        )
    }

    /// The entry about further deletions of a period.
    fileprivate static func cursorsTrimmed(_ count: Int, by change: CursorChange) -> JournalEntry {
        JournalEntry(
            at: change.at,
            event: .cursorCleared,
            plugin: change.plugin,
            blame: .plugin,
            message: "\(count == 1 ? "1 more cursor was" : "\(count) more cursors were") deleted: \(trimmed); only the"
                + " first \(CursorEvictions.limit) deletions of a minute have an entry each; \(remedy)",
            count: count
        )
    }
}

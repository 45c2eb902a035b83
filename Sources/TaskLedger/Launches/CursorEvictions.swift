// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A cursor that was deleted because its plugin had too many.
struct EvictedCursor: Hashable, Sendable {
    let task: String
    /// Whether a request of the task is pending.
    let hasRequest: Bool
}

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
    /// - Parameter cursors: the deleted cursors; may be empty.
    /// - Returns: the entries to write: that about omitted deletions of an earlier period, then those about `cursors`.
    mutating func entries(about cursors: [EvictedCursor], deletedBy change: CursorChange) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if let last = periods[change.plugin], last.isOver(at: change.at) {
            if last.omitted > 0 { entries.append(.cursorsTrimmed(last.omitted, by: change)) }
            periods[change.plugin] = nil
        }
        if cursors.isEmpty { return entries }
        var period = periods[change.plugin] ?? Period(began: change.at)
        let left = max(0, Self.limit - period.entries)
        entries += cursors.prefix(left).map { JournalEntry.cursorTrimmed($0, by: change) }
        period.entries += min(left, cursors.count)
        period.omitted += max(0, cursors.count - left)
        periods[change.plugin] = period
        return entries
    }

    /// Drops the counts of an uninstalled plugin, also that of deletions without an entry.
    mutating func forget(_ plugin: PluginIdentifier) { periods[plugin] = nil }
}

extension JournalEntry {
    private static let trimmed = "the plugin has more than \(WriteAccess.mostCursors) cursors"
    private static let remedy = "complete finished tasks as succeeded, which deletes their cursors"

    /// The entry about a cursor that was deleted because the plugin had too many.
    fileprivate static func cursorTrimmed(_ cursor: EvictedCursor, by change: CursorChange) -> JournalEntry {
        let consequence =
            cursor.hasRequest
            ? "no cursor without a pending request or a running task was left; the pending request begins from the"
                + " start"
            : "of the cursors without a pending request or a running task, it was written least recently; the next run"
                + " begins from the start"
        return JournalEntry(
            at: change.at,
            event: .cursorCleared,
            plugin: change.plugin,
            label: cursor.task,
            blame: .plugin,
            message: "the cursor of \(cursor.task) is deleted: \(trimmed); \(consequence); \(remedy)"
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

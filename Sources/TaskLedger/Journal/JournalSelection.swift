// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The journal entries to read: numbers, filter, direction and limit.
package struct JournalSelection: Hashable, Sendable {
    /// Only entries with a higher number.
    package var after: JournalNumber?
    /// Only entries with a lower number.
    package var before: JournalNumber?
    package var filter: JournalFilter
    /// Only entries about the end of a task.
    package var outcomesOnly: Bool
    package var newestFirst: Bool
    package var limit: Int

    package init(
        after: JournalNumber? = nil,
        before: JournalNumber? = nil,
        filter: JournalFilter = JournalFilter(),
        outcomesOnly: Bool = false,
        newestFirst: Bool = false,
        limit: Int
    ) {
        self.after = after
        self.before = before
        self.filter = filter
        self.outcomesOnly = outcomesOnly
        self.newestFirst = newestFirst
        self.limit = limit
    }
}

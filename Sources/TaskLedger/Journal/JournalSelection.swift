// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The journal entries to read: range of numbers, filter, direction and limit.
package struct JournalSelection: Hashable, Sendable {
    /// Lower bound: only entries with a higher number are selected. Nil for no bound.
    package var after: JournalNumber?
    /// Upper bound: only entries with a lower number are selected. Nil for no bound.
    package var before: JournalNumber?
    package var filter: JournalFilter
    /// Whether only entries with the name of a task outcome are selected. Some outcomes of launches have the same
    /// names.
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

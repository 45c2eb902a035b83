// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The running time one launch may use, shared by every task in its batch.
///
/// A slow first task leaves less for the second: the budget belongs to the launch, not to a task.
/// It only measures. Ending a runner that overstays is the supervisor's work.
package struct LaunchBudget: Hashable, Sendable {
    /// Nil: no fixed budget; a continued task ends when it is completed, stops progressing or is stopped.
    package let total: Duration?
    /// How long a plugin may still take after expiration before it is ended. Comes on top of the budget.
    package let grace: Duration
    /// How long entry may take where nothing else bounds it.
    package let entryLimit: Duration
    package let start: MonotonicTime

    package init(total: Duration?, grace: Duration, entryLimit: Duration, startingAt start: MonotonicTime) {
        self.total = total
        self.grace = grace
        self.entryLimit = entryLimit
        self.start = start
    }

    /// The same budget, from another instant on.
    package func starting(at start: MonotonicTime) -> LaunchBudget {
        LaunchBudget(total: total, grace: grace, entryLimit: entryLimit, startingAt: start)
    }

    package var deadline: MonotonicTime? { total.map { start + $0 } }
    package var killDeadline: MonotonicTime? { deadline.map { $0 + grace } }
    /// When entry has to have returned; host and runner both keep it.
    package var entryDeadline: MonotonicTime { deadline ?? start + entryLimit }

    package func used(at now: MonotonicTime) -> Duration { max(.zero, now - start) }
    package func remaining(at now: MonotonicTime) -> Duration? { deadline.map { max(.zero, $0 - now) } }

    /// As people read it.
    package var words: String { total?.humanReadable ?? "no fixed budget" }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The running time one launch may use, shared by every task in its batch.
///
/// A slow first task leaves less for the second: the budget belongs to the launch, not to a task.
/// It only measures. Ending a runner that overstays is the supervisor's work.
package struct LaunchBudget: Hashable, Sendable {
    package let total: Duration
    /// How long a plugin may still take after expiration before it is ended. Comes on top of the budget.
    package let grace: Duration
    package let start: MonotonicTime

    package init(total: Duration, grace: Duration, startingAt start: MonotonicTime) {
        self.total = total
        self.grace = grace
        self.start = start
    }

    package var deadline: MonotonicTime { start + total }
    package var killDeadline: MonotonicTime { deadline + grace }

    package func used(at now: MonotonicTime) -> Duration { max(.zero, now - start) }
    package func remaining(at now: MonotonicTime) -> Duration { max(.zero, deadline - now) }
}

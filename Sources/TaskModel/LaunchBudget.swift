// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The running time of a launch, shared by all tasks of its batch.
///
/// A slow first task leaves less time for the second: the budget belongs to the launch, not to a task. The type only
/// computes deadlines. `Scheduler` and the launch thread enforce them in the host, `RunnerLaunch` in the runner.
package struct LaunchBudget: Hashable, Sendable {
    /// The budget; nil for no fixed budget. Without a fixed budget, a task expires only for another reason, such as a
    /// lack of progress.
    package let total: Duration?
    /// The grace period: time between expiration and kill, not included in the budget.
    package let gracePeriod: Duration
    /// Maximum running time of the entry function of a launch without a fixed budget.
    package let entryLimit: Duration
    package let start: MonotonicTime

    package init(total: Duration?, gracePeriod: Duration, entryLimit: Duration, startingAt start: MonotonicTime) {
        self.total = total
        self.gracePeriod = gracePeriod
        self.entryLimit = entryLimit
        self.start = start
    }

    /// The same budget with another start time.
    package func starting(at start: MonotonicTime) -> LaunchBudget {
        LaunchBudget(total: total, gracePeriod: gracePeriod, entryLimit: entryLimit, startingAt: start)
    }

    package var deadline: MonotonicTime? { total.map { start + $0 } }
    /// The kill time for work that is expired at `deadline`: the end of the grace period. A completion at the kill
    /// time or later no longer counts.
    package static func killTime(after deadline: MonotonicTime, gracePeriod: Duration) -> MonotonicTime {
        deadline + gracePeriod
    }
    /// The kill time for tasks or assertions of the launch that are expired at `expiration`.
    package func killTime(after expiration: MonotonicTime) -> MonotonicTime {
        Self.killTime(after: expiration, gracePeriod: gracePeriod)
    }
    /// The kill time after the deadline; nil for no fixed budget.
    package var killTime: MonotonicTime? { deadline.map(killTime(after:)) }
    /// The time that a runner has to exit, in addition to the grace period after the stop message. It is for the rest
    /// of the plugin's `stop`, and for the last messages and output of the runner.
    package static let exitTime: Duration = .seconds(1)
    /// The time by which the entry function has to return. If it has not, the runner logs a warning, and the host kills
    /// the launch at the end of the following grace period.
    package var entryDeadline: MonotonicTime { deadline ?? start + entryLimit }

    package func used(at now: MonotonicTime) -> Duration { max(.zero, now - start) }
    package func remaining(at now: MonotonicTime) -> Duration? { deadline.map { max(.zero, $0 - now) } }

    /// The budget as shown to users.
    package var words: String { total?.humanReadable ?? "unlimited running time" }
}

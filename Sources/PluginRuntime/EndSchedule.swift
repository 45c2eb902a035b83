// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Deadlines of the stages in which a launch ends. The host kills the process at the grace period plus
/// `LaunchBudget.exitTime` after its stop message; the last stage ends half of the exit time earlier.
///
/// In the first stage, calls into the plugin return within the grace period, and calls of the plugin in progress are
/// answered: the callback that completed the last task may submit the next request. With a quiet period, the plugin's
/// own threads make their last calls, too. The stages `stop`, answers to open calls, and output follow.
package struct EndSchedule: Hashable, Sendable {
    /// The time without a callback and without a call of the plugin's own threads after which these threads count as
    /// finished; zero when the plugin asks for none.
    package let quietPeriod: Duration

    /// The part of the exit time that is left for flushing the output when the plugin's `stop` uses all of its time.
    private static var flushTime: Duration { .milliseconds(100) }

    /// Limit of the quiet period in nanoseconds, `BGTASK_QUIET_MAX` of the header.
    private static let longestQuiet = 1_000_000_000

    /// Deadline of the first stage, in which callbacks return and calls in progress are answered.
    package let settledBy: MonotonicTime
    /// Deadline of the quiet period, and of calls of the plugin's own threads: it bounds a plugin that never stops
    /// calling.
    package let quietBy: MonotonicTime
    /// Deadline by which the plugin's `stop` and the expiration handlers of assertions have returned, and the host has
    /// answered the open calls.
    package let stoppedBy: MonotonicTime
    /// Deadline for flushing the output.
    package let flushedBy: MonotonicTime
    private let gracePeriod: Duration

    /// Computes the deadlines.
    ///
    /// - Parameters:
    ///   - begin: arrival of the host's stop message.
    ///   - quietPeriod: the quiet period that the plugin asks for.
    package init(begin: MonotonicTime, gracePeriod: Duration, quietPeriod: Duration = .zero) {
        self.gracePeriod = gracePeriod
        self.quietPeriod = quietPeriod
        // With a grace period shorter than the quiet period, every chain of requests would break otherwise.
        let extra = min(quietPeriod, .milliseconds(250))
        quietBy = begin + min(.nanoseconds(Int64(Self.longestQuiet)), gracePeriod + extra)
        settledBy = max(begin + gracePeriod, quietBy)
        let end = gracePeriod + LaunchBudget.exitTime / 2
        stoppedBy = begin + (end - Self.flushTime)
        flushedBy = begin + end
    }

    /// Counts of the calls between runner and plugin while the launch ends.
    package struct Activity: Hashable, Sendable {
        /// The number of calls of the runner into the plugin that have not returned: handlers of tasks, events,
        /// expirations and assertions.
        package var callbacks = 0
        /// The number of calls of the plugin's own threads that have not returned.
        package var calls = 0
        /// Time at which the last callback returned; nil when there was none, and in a process without a thread of the
        /// plugin's own. It starts the quiet period even if these threads made no call: a sleeping timer or Swift task of
        /// a callback cannot be observed.
        package var lastCallback: MonotonicTime?
        /// Time at which the last call from one of the plugin's own threads returned; nil when there was none.
        package var lastCall: MonotonicTime?

        package init(
            callbacks: Int = 0,
            calls: Int = 0,
            lastCallback: MonotonicTime? = nil,
            lastCall: MonotonicTime? = nil
        ) {
            self.callbacks = callbacks
            self.calls = calls
            self.lastCallback = lastCallback
            self.lastCall = lastCall
        }
    }

    /// Time between two checks of the plugin's own threads, while a call of one of them has not returned or one of them
    /// is active (`PluginThreads.isAnyActive`).
    package static var threadCheckInterval: Duration { .milliseconds(2) }

    /// The next time at which the plugin's calls must be checked. Nil once the plugin is quiet, after `settledBy`, and
    /// after `quietBy` if no callback runs. Without a quiet period, a plugin that works only on the threads of its
    /// callbacks is quiet as soon as the callbacks have returned.
    package func nextCheck(of activity: Activity, at now: MonotonicTime) -> MonotonicTime? {
        if now >= settledBy { return nil }
        // The return of a callback wakes the waiting thread.
        if activity.callbacks > 0 { return settledBy }
        if now >= quietBy { return nil }
        if activity.calls > 0 { return min(quietBy, now + Self.threadCheckInterval) }
        let last = [activity.lastCallback, activity.lastCall].compactMap { $0 }.max()
        guard let last, now < last + quietPeriod else { return nil }
        return min(quietBy, last + quietPeriod)
    }

    /// Deadline of the plugin's `stop`: `now` plus the grace period, but no later than `stoppedBy`.
    package func stopDeadline(calledAt now: MonotonicTime) -> MonotonicTime { min(now + gracePeriod, stoppedBy) }

    /// Deadline for flushing the output: one second after `now`, but no later than `flushedBy`.
    package func flushDeadline(begunAt now: MonotonicTime) -> MonotonicTime { min(now + .seconds(1), flushedBy) }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// How long each stage of a launch's end may take. The host kills the process at the grace period plus one second after
/// its stop message; the last stage here ends half a second earlier.
///
/// First comes the quiet period: calls into the plugin return, and threads of the plugin's own, such as one that completed
/// the last task and is about to submit the next request, make their last calls. Then `stop`, the answers to open calls,
/// the output.
package struct EndSchedule: Hashable, Sendable {
    /// The time without a call of the plugin's own threads after which these are taken to be done.
    package static var quietPeriod: Duration { .milliseconds(250) }

    /// Bounds the wait for callbacks to return and for the quiet period, of a plugin that never stops calling too.
    package let settledBy: MonotonicTime
    /// Bounds `stop`, the handlers of assertions, and the wait for answers.
    package let stoppedBy: MonotonicTime
    /// Bounds the output.
    package let flushedBy: MonotonicTime
    private let grace: Duration

    /// - Parameter begin: when the host's stop message came.
    package init(begin: MonotonicTime, grace: Duration) {
        self.grace = grace
        // A grace period shorter than the quiet period must not break every chain of requests.
        settledBy = begin + min(.seconds(1), grace + Self.quietPeriod)
        stoppedBy = begin + grace + .milliseconds(400)
        flushedBy = begin + grace + .milliseconds(500)
    }

    /// What the plugin does while its launch ends.
    package struct Activity: Hashable, Sendable {
        /// Calls of the runner that have not returned: handlers of tasks, events, expirations and assertions.
        package var callbacks = 0
        /// Calls of the plugin's own threads that have not returned.
        package var calls = 0
        /// Return of the last call that one of the plugin's own threads made; nil when none did.
        package var lastCall: MonotonicTime?

        package init(callbacks: Int = 0, calls: Int = 0, lastCall: MonotonicTime? = nil) {
            self.callbacks = callbacks
            self.calls = calls
            self.lastCall = lastCall
        }
    }

    /// Time between two looks at the plugin's threads while one of them runs.
    package static var threadCheckInterval: Duration { .milliseconds(2) }

    /// When the plugin's calls have to be looked at again; nil once it is quiet. A plugin that did everything on the threads of its
    /// callbacks is quiet as soon as these have returned.
    package func nextCheck(of activity: Activity, at now: MonotonicTime) -> MonotonicTime? {
        if now >= settledBy { return nil }
        // Their return wakes whoever waits for it.
        if activity.callbacks > 0 { return settledBy }
        // A quiet period begins with its return, which is later than now.
        if activity.calls > 0 { return min(settledBy, now + Self.quietPeriod) }
        guard let quietAt = activity.lastCall.map({ $0 + Self.quietPeriod }), now < quietAt else { return nil }
        return min(settledBy, quietAt)
    }

    /// Until when `stop` may run: the whole grace period, unless the quiet period took most of its reserve.
    package func stopDeadline(calledAt now: MonotonicTime) -> MonotonicTime { min(now + grace, stoppedBy) }

    /// Until when the output may be written.
    package func flushDeadline(begunAt now: MonotonicTime) -> MonotonicTime { min(now + .seconds(1), flushedBy) }
}

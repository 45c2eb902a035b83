// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Synchronization
import TaskModel

/// Counts of the calls between runner and plugin, in both directions. The end of the launch waits for these calls.
///
/// A call of the plugin counts only on a thread of the plugin's own: a thread that a handler started, a thread of a
/// queue, or a thread of Swift's concurrency. A call on the thread of a callback is over when the callback returns. The
/// return is timed: code that the callback has passed to a timer or a Swift task may make its first call later.
final class PluginActivity: Sendable {
    private let callbacks = Monitor(0)
    private let calls = Atomic(0)
    /// Time at which the last counted call returned, in nanoseconds of the monotonic clock; 0 when there was none.
    private let lastCall = Atomic<Int64>(0)
    /// Time at which the last callback returned, in nanoseconds of the monotonic clock; 0 when there was none.
    private let lastCallback = Atomic<Int64>(0)

    /// Runs a call of the runner into the plugin, counted while it runs.
    func callback(_ role: ThreadRole = .callback, _ body: () -> Void) {
        callbacks.change { $0 += 1 }
        ThreadRole.with(role.union(.counted), body)
        callbackEnded()
    }

    /// Ends the count of a callback that has returned, or whose thread has ended.
    func callbackEnded() {
        lastCallback.store(MonotonicTime.now.nanoseconds, ordering: .releasing)
        callbacks.change { $0 -= 1 }
    }

    /// Runs a call of the plugin into the runner. Only calls on threads of the plugin's own are counted and timed.
    func call<Result>(_ body: () -> Result) -> Result {
        guard ThreadRole.isOfPlugin else { return body() }
        calls.add(1, ordering: .acquiringAndReleasing)
        defer {
            lastCall.store(MonotonicTime.now.nanoseconds, ordering: .releasing)
            calls.subtract(1, ordering: .acquiringAndReleasing)
        }
        return body()
    }

    /// Blocks until the plugin is quiet or `schedule.settledBy` has passed; after `schedule.quietBy` it waits only for
    /// callbacks. A plugin is quiet when its callbacks and the calls of its own threads have returned. With a quiet
    /// period, this long must also have passed since the last return of a callback and the last call of its own threads,
    /// and none of them may run: a running thread may have just received work from a handler, such as a submission. A
    /// callback starts no quiet period in a process without a thread of the plugin's own.
    func settle(_ schedule: EndSchedule, _ threads: PluginThreads) {
        while .now < schedule.settledBy {
            let activity = current
            var awaited = activity
            if activity.callbacks > 0 || !threads.isAny { awaited.lastCallback = nil }
            if let next = schedule.nextCheck(of: awaited, at: .now) {
                wait(until: next, unless: activity)
            } else if .now >= schedule.quietBy {
                return
            } else if schedule.quietPeriod > .zero, threads.isAnyActive {
                wait(until: min(schedule.settledBy, .now + EndSchedule.threadCheckInterval), unless: activity)
            } else if current == activity {
                // When the activity has changed, a thread has begun a call since and sleeps in it.
                return
            }
        }
    }

    private func wait(until next: MonotonicTime, unless activity: EndSchedule.Activity) {
        _ = callbacks.wait(until: next) { $0 == activity.callbacks ? nil : () }
    }

    private var current: EndSchedule.Activity {
        let callbacks = callbacks.read { $0 }
        // This order matters: a callback or call that has returned by now has already stored its time.
        let lastCallback = lastCallback.load(ordering: .acquiring)
        let calls = calls.load(ordering: .acquiring)
        let last = lastCall.load(ordering: .acquiring)
        return EndSchedule.Activity(
            callbacks: callbacks,
            calls: calls,
            lastCallback: Self.time(lastCallback),
            lastCall: Self.time(last)
        )
    }

    private static func time(_ nanoseconds: Int64) -> MonotonicTime? {
        nanoseconds == 0 ? nil : MonotonicTime(nanoseconds: nanoseconds)
    }
}

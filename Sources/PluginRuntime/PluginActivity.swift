// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Synchronization
import TaskModel

/// The calls between runner and plugin that the end of the launch waits for, in both directions.
///
/// A call of the plugin counts only on a thread of the plugin's own, such as one that a handler started, a queue's, or
/// one of Swift's concurrency: what runs on the thread of a callback is over when the callback returns.
final class PluginActivity: Sendable {
    private let callbacks = Monitor(0)
    private let calls = Atomic(0)
    /// Nanoseconds; 0 when there was none.
    private let lastCall = Atomic<Int64>(0)

    /// Calls a function of the plugin.
    func callback(_ role: ThreadRole = .callback, _ body: () -> Void) {
        callbacks.change { $0 += 1 }
        ThreadRole.with(role, body)
        callbacks.change { $0 -= 1 }
    }

    /// Carries out a call of the plugin. A thread of a callback pays for no clock.
    func call<Result>(_ body: () -> Result) -> Result {
        guard ThreadRole.current.isEmpty else { return body() }
        calls.add(1, ordering: .acquiringAndReleasing)
        defer {
            lastCall.store(MonotonicTime.now.nanoseconds, ordering: .releasing)
            calls.subtract(1, ordering: .acquiringAndReleasing)
        }
        return body()
    }

    /// Blocks until the plugin is quiet: its callbacks have returned, its own threads have made no call for the quiet
    /// period, and none of them runs, such as one that the handler has just handed a submission to.
    func settle(_ schedule: EndSchedule, _ threads: PluginThreads) {
        while .now < schedule.settledBy {
            let activity = current
            if let next = schedule.nextCheck(of: activity, at: .now) {
                wait(until: next, unless: activity)
            } else if threads.isAnyActive {
                wait(until: min(schedule.settledBy, .now + EndSchedule.threadCheckInterval), unless: activity)
            } else if current == activity {
                // Otherwise a thread has begun a call meanwhile, and sleeps in it.
                return
            }
        }
    }

    private func wait(until next: MonotonicTime, unless activity: EndSchedule.Activity) {
        _ = callbacks.wait(until: next) { $0 == activity.callbacks ? nil : () }
    }

    private var current: EndSchedule.Activity {
        let callbacks = callbacks.read { $0 }
        // In this order: a call that is over by now has left its time.
        let calls = calls.load(ordering: .acquiring)
        let last = lastCall.load(ordering: .acquiring)
        return EndSchedule.Activity(
            callbacks: callbacks,
            calls: calls,
            lastCall: last == 0 ? nil : MonotonicTime(nanoseconds: last)
        )
    }
}

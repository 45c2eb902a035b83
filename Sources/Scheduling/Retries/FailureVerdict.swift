// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The decision about a task that its plugin completed as failed. A pure decision.
enum FailureVerdict: Hashable, Sendable {
    /// The task ends. The text is the end of the journal message, empty when the task has no terms of retries.
    case ends(String)
    /// The task is requeued with this retry state.
    case retried(Retry, FailedAttempt, delay: Duration)
    /// The task, which was expired, continues at its cursor with this retry state. The text is the end of the journal
    /// message.
    case continues(Retry, String, delay: Duration?)
    /// The task ends, because its last runs did not move its cursor.
    case endsWithoutMovement

    /// Decides about a failed task.
    ///
    /// - Parameters:
    ///   - isBeingCancelled: whether a commit in flight cancels or stops the task.
    ///   - terms: the terms of its retries; nil when the task is not retried.
    ///   - configuration: the retry delays of tasks that continue.
    ///   - random: the source of the jitter.
    init(
        on task: Execution.Task,
        isBeingCancelled: Bool,
        terms: FailureRetry?,
        _ configuration: SchedulingConfiguration,
        using random: inout some RandomNumberGenerator,
        at now: WallTime
    ) {
        let isUnwanted =
            isBeingCancelled || task.wasCancelled || task.isToStop || task.expiration?.reason == .stoppedByUser
        if !isUnwanted, let verdict = Self.resuming(task, isRetried: terms != nil, configuration, at: now) {
            self = verdict
            return
        }
        guard let terms else {
            self = .ends("")
            return
        }
        var retry = task.work.retry
        retry.failures += 1
        let attempt = FailedAttempt(retry.failures, of: terms.attempts)
        if retry.failures >= terms.attempts {
            self = .ends("; \(attempt) failed, and no retry is left")
        } else if isUnwanted {
            self = .ends("; \(attempt) failed, and the task is not retried because it was cancelled or stopped")
        } else if let newer = task.successor {
            self = .ends("; \(attempt) failed, and the task is not retried because submission \(newer) is newer")
        } else {
            let delay = terms.delay(after: retry.failures, using: &random)
            retry.notBefore = now + delay
            self = .retried(retry, attempt, delay: delay)
        }
    }

    /// The verdict on a task that was expired and has a cursor; nil when the task ends or is retried like one without a
    /// cursor.
    ///
    /// - Parameter isRetried: whether the task has terms of retries. They decide after a run without movement.
    private static func resuming(
        _ task: Execution.Task,
        isRetried: Bool,
        _ configuration: SchedulingConfiguration,
        at now: WallTime
    ) -> FailureVerdict? {
        guard task.expiration != nil, task.cursor != nil, task.successor == nil else { return nil }
        let standstills = task.standstills(isFault: false)
        if let standstills, standstills >= Execution.Task.mostStandstills { return .endsWithoutMovement }
        if !task.hasMovedCursor, isRetried { return nil }
        let (retry, delay) = task.continuation(isDelayed: false, configuration, at: now)
        return .continues(retry, task.continues(after: standstills), delay: delay)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The decision about a task that its plugin completed as failed. A pure decision.
enum FailureVerdict: Hashable, Sendable {
    /// The task ends. The text is the end of the journal message, empty when the task has no terms of retries.
    case ends(String)
    /// The task is requeued with this retry state.
    case retried(Retry, FailedAttempt, delay: Duration)

    /// Decides about a failed task.
    ///
    /// - Parameters:
    ///   - isBeingCancelled: whether a commit in flight cancels or stops the task.
    ///   - terms: the terms of its retries; nil when the task is not retried.
    ///   - random: the source of the jitter.
    init(
        on task: Execution.Task,
        isBeingCancelled: Bool,
        terms: FailureRetry?,
        using random: inout some RandomNumberGenerator,
        at now: WallTime
    ) {
        guard let terms else {
            self = .ends("")
            return
        }
        var retry = task.work.retry
        retry.failures += 1
        let attempt = FailedAttempt(retry.failures, of: terms.attempts)
        if retry.failures >= terms.attempts {
            self = .ends("; \(attempt) failed, and no retry is left")
        } else if isBeingCancelled || task.wasCancelled || task.isToStop || task.expiration?.reason == .stoppedByUser {
            self = .ends("; \(attempt) failed, and the task is not retried because it was cancelled or stopped")
        } else if let newer = task.successor {
            self = .ends("; \(attempt) failed, and the task is not retried because submission \(newer) is newer")
        } else {
            let delay = terms.delay(after: retry.failures, using: &random)
            retry.notBefore = now + delay
            self = .retried(retry, attempt, delay: delay)
        }
    }
}

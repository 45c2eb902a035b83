// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

extension DiagnosingMapping {
    /// Reads the values of the retries after failures of a task from this mapping. A value is nil when its key is
    /// missing, or its value was reported as invalid.
    package func failureRetryValues() -> FailureRetry.Values {
        FailureRetry.Values(
            attempts: integer("attempts", in: FailureRetry.attemptsRange)?.value,
            delay: duration("delay", in: FailureRetry.delayRange)?.value,
            backoff: integer("backoff", in: FailureRetry.backoffRange)?.value,
            jitter: integer("jitter", in: FailureRetry.jitterRange)?.value
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

extension FailureRetry {
    /// The delay after a number of failures without jitter: the first delay, multiplied by the backoff after each
    /// further failure, and at most `longestDelay`.
    package func delay(after failures: Int) -> Duration {
        var delay = min(delay, Self.longestDelay)
        for _ in 1..<max(1, failures) where delay < Self.longestDelay { delay = delay * backoff }
        return min(delay, Self.longestDelay)
    }

    /// The delay after a number of failures with random jitter, at most `longestDelay`.
    package func delay(after failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let regular = delay(after: failures)
        // The deviation has steps of a thousandth of a percent.
        let deviation = Int.random(in: -jitter * 1_000...jitter * 1_000, using: &random)
        return min(regular + regular * deviation / 100_000, Self.longestDelay)
    }
}

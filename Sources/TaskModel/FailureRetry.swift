// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The terms under which the host runs a task again after the plugin completed it as failed.
package struct FailureRetry: Hashable, Sendable {
    package static let attemptsRange = 2...100
    package static let delayRange: ClosedRange<Duration> = .seconds(1)...longestDelay
    package static let backoffRange = 1...10
    package static let jitterRange = 0...100
    /// Maximum delay before an attempt, whatever delay, backoff and jitter result in.
    package static let longestDelay: Duration = .seconds(86_400)

    /// Maximum number of attempts, including the first one.
    package let attempts: Int
    /// Delay after the first failed attempt, before the jitter.
    package let delay: Duration
    /// The factor by which the delay grows with each further failed attempt; 1 for a constant delay.
    package let backoff: Int
    /// Maximum deviation of a delay from its regular value, in percent of that value.
    package let jitter: Int

    package init(attempts: Int = 3, delay: Duration = .seconds(60), backoff: Int = 2, jitter: Int = 10) {
        self.attempts = attempts
        self.delay = delay
        self.backoff = backoff
        self.jitter = jitter
    }

    /// The terms with the given values in place of their own.
    package func overridden(by values: Values) -> FailureRetry {
        FailureRetry(
            attempts: values.attempts ?? attempts,
            delay: values.delay ?? delay,
            backoff: values.backoff ?? backoff,
            jitter: values.jitter ?? jitter
        )
    }

    /// The values of terms that a manifest or an operator states. A value is nil when it is not stated.
    package struct Values: Hashable, Sendable {
        package var attempts: Int?
        package var delay: Duration?
        package var backoff: Int?
        package var jitter: Int?

        package init(attempts: Int? = nil, delay: Duration? = nil, backoff: Int? = nil, jitter: Int? = nil) {
            self.attempts = attempts
            self.delay = delay
            self.backoff = backoff
            self.jitter = jitter
        }
    }

    /// The terms in one line: `3 attempts; 1min after the first failure, doubled after each further one; jitter 10 %`.
    package var words: String {
        let growth =
            switch backoff {
            case 1: " after each failure"
            case 2: " after the first failure, doubled after each further one"
            default: " after the first failure, times \(backoff) after each further one"
            }
        return "\(attempts) attempts; \(delay.humanReadable)\(growth)" + (jitter == 0 ? "" : "; jitter \(jitter) %")
    }
}

/// The number of a failed attempt, and the maximum number of attempts.
package struct FailedAttempt: Hashable, Sendable, CustomStringConvertible {
    package let number: Int
    /// Maximum number of attempts; nil when the task is not retried after further failures, because neither manifest
    /// nor operator has terms for it any more.
    package let limit: Int?

    package init(_ number: Int, of limit: Int?) {
        self.number = number
        self.limit = limit
    }

    /// The text `attempt 1 of 3`.
    package var description: String { "attempt \(number)" + (limit.map { " of \($0)" } ?? "") }
}

extension [PermittedIdentifier: FailureRetry] {
    /// One line for each identifier, with its terms, sorted by identifier.
    package var lines: [String] {
        map { (name: $0.key.description, words: $0.value.words) }.sorted { $0.name < $1.name }
            .map { "\($0.name): \($0.words)" }
    }
}

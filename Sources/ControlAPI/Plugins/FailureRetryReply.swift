// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The retries of the failed tasks of one permitted identifier.
package struct FailureRetryReply: Codable, Hashable, Sendable {
    package let identifier: String
    /// The terms that the manifest proposes; nil without a proposal.
    package let proposed: Terms?
    /// The terms in force; nil when the operator has not accepted the proposal, so that failed tasks are not retried.
    package let inForce: Terms?

    package init(_ identifier: PermittedIdentifier, proposed: FailureRetry?, inForce: FailureRetry?) {
        self.identifier = identifier.description
        self.proposed = proposed.map(Terms.init)
        self.inForce = inForce.map(Terms.init)
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, proposed
        case inForce = "in_force"
    }

    package struct Terms: Codable, Hashable, Sendable {
        package let attempts: Int
        package let delay: Nanoseconds
        package let backoff: Int
        /// Maximum deviation of a delay, in percent.
        package let jitter: Int

        package init(_ terms: FailureRetry) {
            attempts = terms.attempts
            delay = Nanoseconds(terms.delay)
            backoff = terms.backoff
            jitter = terms.jitter
        }

        package var terms: FailureRetry {
            FailureRetry(attempts: attempts, delay: delay.duration, backoff: backoff, jitter: jitter)
        }

        private enum CodingKeys: String, CodingKey {
            case attempts, backoff, jitter
            case delay = "delay_ns"
        }
    }
}

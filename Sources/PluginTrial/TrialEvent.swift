// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginLaunch
package import SandboxPolicy
package import TaskModel

/// An event of a trial. Tasks are numbered from 0, by their position in the script; tasks that the launch itself
/// submitted follow.
package enum TrialEvent: Hashable, Sendable {
    /// Entry returned; `cause` is the refused call behind a failure, if one is known.
    case entered(status: Int32, registered: [PermittedIdentifier], offersReceive: Bool, cause: String? = nil)
    /// A handler was registered after entry.
    case registered(PermittedIdentifier)
    case loadFailed(message: String)
    /// The launch could not begin, for a cause outside of the plugin.
    case notStarted(message: String)
    /// A continued task that the launch submitted was delivered to it.
    case delivered(Int, TaskIdentifier)
    case completed(Int, CompletionOutcome, message: String?)
    case expired([Int], ExpirationReason)
    /// The time limit of the trial passed. Its open tasks expire.
    case limitPassed(Duration)
    case expirationHandler(Int, isSet: Bool)
    case progress(Int, TaskProgress)
    case title(Int, String, subtitle: String?)
    case assertionBegan(AssertionID, name: String)
    case assertionEnded(AssertionID)
    case assertionsExpired(ExpirationReason)
    /// A submission with its answer: `refusal` is nil when it was accepted, and `isScripted` is true for a refusal by
    /// the script instead of by the rules of a host.
    case submitted(TaskRequest, payloadSize: Int, refusal: SubmissionRefusal?, isScripted: Bool)
    /// A trial performs no transfers.
    case transferRefused(TransferDescription, SubmissionRefusal)
    /// A cancellation; of all pending requests when the identifier is nil.
    case cancelled(TaskIdentifier?)
    case listed(count: Int)
    case fetchInterval(Duration?)
    case violation(ViolationKind, message: String)
    case log(LogLevel, task: Int?, message: String)
    case output(RunnerOutput, line: String)
    case outputDropped(RunnerOutput, lines: Int)
    case denied(DeniedCall)
    /// The runner's channel carried an invalid message or too many unanswered calls, as after the plugin wrote to it.
    case malformed(message: String)
    /// The host requested the end of the launch.
    case stopping
    /// The last message of the runner arrived: the launch ended in order.
    case stopped
    /// The kill time passed.
    case overdue
    case ended(RunnerEnd)
}

/// All events of one trial, in order, and its measurements.
package struct TrialLog: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Time since the plan was sent.
        package let time: Duration
        package let event: TrialEvent

        package init(_ time: Duration, _ event: TrialEvent) {
            self.time = time
            self.event = event
        }
    }

    package var entries: [Entry] = []
    /// Processor time of the runner's process, as of its last completion, its last message or its kill time; nil when
    /// unknown.
    package var processorTime: Duration?
    /// The number of open descriptors of the process at its last completion; nil when unknown.
    package var openDescriptors: Int?
    /// The grace period of the trial.
    package var gracePeriod = Duration.zero

    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The first value that `pick` returns for an event; nil when `pick` returns none.
    package func first<Value>(_ pick: (TrialEvent) -> Value?) -> Value? {
        for entry in entries {
            if let value = pick(entry.event) { return value }
        }
        return nil
    }

    /// The texts of the plugin: its log, its output, and the messages of its completions and of its loader.
    package var texts: [String] {
        all { event in
            switch event {
            case .log(_, _, let message), .output(_, let message), .loadFailed(let message): message
            case .completed(_, _, let message): message
            default: nil
            }
        }
    }

    /// All values that `pick` returns, in order.
    package func all<Value>(_ pick: (TrialEvent) -> Value?) -> [Value] { entries.compactMap { pick($0.event) } }

    /// Time of the first event that fits, since the plan was sent; nil when no event fits.
    package func time(of fits: (TrialEvent) -> Bool) -> Duration? { entries.first { fits($0.event) }?.time }
}

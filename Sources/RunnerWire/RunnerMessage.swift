// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A message from a runner to its host. The host accepts only messages that the launch's manifest allows.
package enum RunnerMessage: Hashable, Sendable {
    /// Maximum size in bytes of the text of a bound function's result, a limit for the journal.
    package static let longestReturnedText = 4_096

    /// Entry returned: its status, the registered identifiers, and whether the plugin receives events.
    case entered(status: Int32, registered: [PermittedIdentifier], offersReceive: Bool)
    /// A continued identifier, or a pattern, registered after entry (statement 15).
    case registered(PermittedIdentifier)
    /// The library could not be loaded; no code of it ran, except possibly its constructors.
    case loadFailed(message: String)
    /// libffi, which calls bound functions, is missing on this machine; the library was not loaded.
    case ffiMissing(message: String)
    case completed(TaskID, CompletionOutcome)
    /// A bound function returned: the outcome, and the text for the journal.
    case returned(TaskID, CompletionOutcome, text: String)
    /// An expiration handler was set or removed. It decides between the outcomes `expired` and `overran` (statements 57
    /// and 59).
    case expirationHandler(TaskID, isSet: Bool)
    /// The runner's own timer expired these tasks.
    case expiring([TaskID], ExpirationReason)

    /// Progress of a continued task: `done` of `total` units. The newest report replaces unsent ones.
    case progress(TaskID, TaskProgress)
    /// New title and subtitle of a continued task, replaced together (statement 79).
    case title(TaskID, String, subtitle: String?)
    /// Least time between two legacy fetches; nil for never.
    case fetchInterval(Duration?)

    /// A background assertion began. An assertion that the host does not accept does not keep the launch open.
    case assertionBegan(AssertionID, name: String)
    case assertionEnded(AssertionID)

    case submit(CallNumber, TaskRequest, payload: [UInt8])
    case cancel(CallNumber, TaskIdentifier)
    case cancelAll(CallNumber)
    case pending(CallNumber)

    case log(LogLevel, message: String)
    /// A violation of the ABI rule with this id; the message names the misuse and the remedy.
    case violation(rule: String, message: String)
    /// The last message: all earlier ones have been sent, and the process exits.
    case stopped
}

/// Number that pairs a plugin's blocking call with its answer; increases within one launch.
package struct CallNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Severity of a plugin's log line; the numbers are the ABI's `BGT_LOG_...`.
package enum LogLevel: UInt32, Hashable, Sendable {
    case debug = 1
    case info = 2
    case warning = 3
    case error = 4
}

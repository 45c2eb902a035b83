// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// What a runner tells its host. The host believes none of it beyond what the launch's manifest allows.
package enum RunnerMessage: Hashable, Sendable {
    /// In bytes, of what a bound function returned and left behind: more is not for a journal.
    package static let longestReturnedText = 4_096

    /// Entry returned: its status, what was registered, and whether the plugin takes events.
    case entered(status: Int32, registered: [PermittedIdentifier], offersReceive: Bool)
    /// A continued identifier, or a pattern, registered after entry (statement 15).
    case registered(PermittedIdentifier)
    /// The library could not be loaded; nothing of it ran, or only its constructors.
    case loadFailed(message: String)
    /// What calls bound functions is not to be had on this machine; nothing of the library was loaded.
    case callerMissing(message: String)
    case completed(TaskID, CompletionOutcome)
    /// A bound function returned: what that comes to, and what the journal is to have of it.
    case returned(TaskID, CompletionOutcome, text: String)
    /// Whether an expiration handler is set decides between `expired` and `overran` (statements 57 and 59).
    case expirationHandler(TaskID, isSet: Bool)
    /// The runner's own timer told these tasks to stop.
    case expiring([TaskID], ExpirationReason)

    /// Of a continued task: `done` of `total` units. Coalesced: the newest one stands for those before it.
    case progress(TaskID, TaskProgress)
    /// What people see of a continued task from now on, both at once (statement 79).
    case title(TaskID, String, subtitle: String?)
    /// Legacy fetch: at least so long between two, nil for never.
    case fetchInterval(Duration?)

    /// The plugin wants to be kept beyond its last task. What the host does not take holds nothing open.
    case assertionBegan(AssertionID, name: String)
    case assertionEnded(AssertionID)

    case submit(CallNumber, TaskRequest, payload: [UInt8])
    case cancel(CallNumber, TaskIdentifier)
    case cancelAll(CallNumber)
    case pending(CallNumber)

    case log(LogLevel, message: String)
    /// A rule of the ABI was broken, by its id; the message names what was done and the remedy.
    case violation(rule: String, message: String)
    /// The last message: all that was recorded has been sent, the process ends now.
    case stopped
}

/// Pairs a plugin's blocking call with its answer; rises within one launch.
package struct CallNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// How loud a plugin's log line is; the numbers are the ABI's `BGT_LOG_...`.
package enum LogLevel: UInt32, Hashable, Sendable {
    case debug = 1
    case info = 2
    case warning = 3
    case error = 4
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A message from a runner to its host. The host checks each message against the manifest of the launch.
package enum RunnerMessage: Hashable, Sendable {
    /// Maximum size of the message of a completion, in bytes; a limit for the journal.
    package static let longestCompletionMessage = 4_096

    /// Entry returned: its status, the registered identifiers, and whether the plugin has a receiver of events.
    ///
    /// - Parameter cause: of a failed entry, its newest call that was refused with the same status and the text of the
    ///   refusal, or the flaw of the struct that entry filled; nil when there is neither.
    case entered(status: Int32, registered: [PermittedIdentifier], offersReceive: Bool, cause: String? = nil)
    /// A handler of continued tasks was registered after entry (statement 15).
    case registered(PermittedIdentifier)
    /// The library could not be loaded, or lacks its entry function or a bound function. None of its code ran, except
    /// possibly its constructors.
    case loadFailed(message: String)
    /// libffi, which calls bound functions, is missing or defective on this machine. No function of the plugin was
    /// called.
    case ffiMissing(message: String)
    /// The sandbox is in effect; the library was not loaded yet. If the kernel offers a listener, at which the refused
    /// system calls of the launch wait for an answer, the frame carries its descriptor. Not sent without a filter of
    /// system calls.
    ///
    /// - Parameter listener: the number of that descriptor in the runner, when the kernel refuses to send it because
    ///   the user has too many descriptors in flight. The runner keeps it open until the plan arrives; nil otherwise.
    case confined(listener: Int32? = nil)
    /// The sandbox could not be applied, or the runner could not begin the launch for another cause outside of the
    /// plugin. The library was not loaded.
    case sandboxFailed(message: String)
    /// A task was completed. The message is the plugin's, or the result of a bound function, for the journal.
    case completed(TaskID, CompletionOutcome, message: String? = nil)
    /// An expiration handler of the task was set or removed. Whether a handler is set decides between the outcomes
    /// `expired` and `overran` (statements 57 and 59).
    case expirationHandler(TaskID, isSet: Bool)
    /// The runner's own timer expired these tasks. The reason is `budget`, the only one for which a runner has a timer;
    /// the host ignores any other.
    case expiring([TaskID], ExpirationReason)

    /// A task has written its cursor to the shared memory, at least up to the version with this number.
    case cursorWritten(TaskID, number: UInt64)
    /// A call that waits until the host has stored the cursor, at least the version with this number.
    case checkpoint(CallNumber, TaskID, number: UInt64)

    /// Progress of a continued task. The newest report replaces older unsent ones.
    case progress(TaskID, TaskProgress)
    /// New title and subtitle of a continued task, replaced together (statement 79).
    case title(TaskID, String, subtitle: String?)
    /// Minimum time between two legacy fetches, as requested by the plugin; nil for never.
    case fetchInterval(Duration?)

    /// A background assertion began. It keeps the launch open only if the host accepts it.
    case assertionBegan(AssertionID, name: String)
    case assertionEnded(AssertionID)

    case submit(CallNumber, TaskRequest, payload: [UInt8])
    case cancel(CallNumber, TaskIdentifier)
    case cancelAll(CallNumber)
    case pending(CallNumber)
    /// A call for the device token of the plugin, which is issued if the plugin has none.
    case registerForPushes(CallNumber)
    /// A call that ends the device token of the plugin.
    case unregisterForPushes(CallNumber)

    case beginTransfer(CallNumber, TransferDescription, earliestBegin: WallTime? = nil, expiresAt: WallTime? = nil)
    case cancelTransfer(CallNumber, SubmissionNumber)
    /// A call for the transfers of a session, or with nil of all sessions of the plugin.
    case transfers(CallNumber, of: TransferSession?)
    /// The plugin has moved the file of an ended transfer to a place of its own.
    case transferTaken(SubmissionNumber)
    /// One try of a transfer ended. The completion of the task follows. Only in launches of the lane `transfer`.
    case transferEnded(TaskID, TransferEnd)

    /// The content that a notification service extension sets, as JSON that the runner has not read.
    case notificationContent(TaskID, [UInt8])

    /// A line of the plugin or of the runner for the host's log; the task is nil for a line about the launch.
    case log(LogLevel, of: TaskID? = nil, message: String)
    /// A violation; the message names the misuse and the remedy.
    case violation(ViolationKind, message: String)
    /// The last message of the launch: all earlier ones have been sent, and the process exits.
    case stopped
}

/// The number that pairs a blocking call of the plugin with its answer. It rises within one launch.
package struct CallNumber: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

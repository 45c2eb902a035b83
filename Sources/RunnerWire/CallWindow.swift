// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The window of unanswered calls: the maximum number of calls of one launch that await the host's answer at once.
///
/// A call is a message of the runner that the host answers: submit, cancel, cancel_all, or a read of the pending
/// requests. An unmodified runner never exceeds the window; the host stops reading a channel that does. Messages
/// without an answer (completion, progress, assertion, log line) do not count.
package enum CallWindow {
    /// The maximum number of unanswered calls of one launch.
    package static let limit = 16
}

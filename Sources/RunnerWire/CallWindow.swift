/// The window of unanswered calls: how many calls of one launch may await the host's answer at once.
///
/// A call is a message of the runner that the host answers: submit, cancel, cancel_all, or a read of the pending
/// requests. The runner keeps the window, so an honest runner never exceeds it; the host reads no more of a channel
/// that does. Messages without an answer (completion, progress, assertion, log line) do not count.
package enum CallWindow {
    /// The greatest number of unanswered calls of one launch.
    package static let limit = 16
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Why a command did not do what was asked, in words for its caller, with the status that goes with it.
struct CommandFailure: Error, Hashable {
    let status: ExitStatus
    let message: String
    /// What to do about it; nil when the message says it.
    let remedy: String?

    init(_ status: ExitStatus, _ message: String, remedy: String? = nil) {
        self.status = status
        self.message = message
        self.remedy = remedy
    }
}

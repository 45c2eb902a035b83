// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A failure of a command: the message for the user, a remedy and the exit status.
struct CommandFailure: Error, Hashable {
    let status: ExitStatus
    let message: String
    /// The problems that the message summarizes, each printed on a line of its own.
    let problems: [String]
    /// The remedy, printed on its own line; nil when there is none or the message includes it.
    let remedy: String?

    init(_ status: ExitStatus, _ message: String, problems: [String] = [], remedy: String? = nil) {
        self.status = status
        self.message = message
        self.problems = problems
        self.remedy = remedy
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Why a function was not called, or why its call has no result.
package struct FunctionTrialError: Error, Hashable, Sendable {
    package let message: String
    /// Nil when the message contains the remedy.
    package let remedy: String?

    init(_ message: String, remedy: String? = nil) {
        self.message = message
        self.remedy = remedy
    }
}

/// The reports of a runner while the function runs.
package enum TrialRemark: Hashable, Sendable {
    /// A rule of the ABI that the library breaks.
    case violation(rule: String, message: String)
    /// A line that the library wrote, as it wrote it.
    case output(stream: String, line: String)
}

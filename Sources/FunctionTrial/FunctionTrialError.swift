// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import SandboxPolicy

/// The reason why a function was not called, or why its call has no result.
package struct FunctionTrialError: Error, Hashable, Sendable {
    package let message: String
    /// The remedy; nil when the message contains it.
    package let remedy: String?

    init(_ message: String, remedy: String? = nil) {
        self.message = message
        self.remedy = remedy
    }
}

/// A report about the call: before it, and by the runner while the function runs.
package enum TrialRemark: Hashable, Sendable {
    /// A guarantee of launches that the call does not have, and the reason.
    case notEnforced(String, String)
    /// The sandbox refused a system call of the function.
    case denied(DeniedCall)
    /// A message of the runner or of the sandbox policy, such as a grant without effect.
    case warning(String)
    /// A violation by the library; the rule is nil when it is not a rule of the ABI.
    case violation(rule: String?, message: String)
    /// A line of the library's output, unmodified.
    case output(stream: String, line: String)
}

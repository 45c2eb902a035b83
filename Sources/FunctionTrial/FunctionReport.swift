// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import SandboxPolicy
import TaskModel

/// Result of one call of a function. `format` is the version of its JSON structure.
package struct FunctionReport: Hashable, Encodable {
    package let format = 1
    package let library: String
    /// The requested signature, in C syntax.
    package let signature: String
    /// The returned value and the output arguments, in the format in which the journal records the result of a bound
    /// function.
    package let returned: String
    package let isSuccess: Bool
    /// The rule that decides whether the call succeeded; nil for a function without a result.
    package let rule: String?
    /// Nanoseconds from sending the plan to the end of the call, including the loading of the library.
    package let took: Int64
    /// The guarantees of a launch that the call did not have.
    package let notEnforced: [UnenforcedGuarantee]

    init(_ trial: FunctionTrial, _ text: String, isSuccess: Bool, took: Duration) {
        library = trial.library
        signature = trial.handler.signature
        returned = text
        self.isSuccess = isSuccess
        rule = trial.handler.result.rule
        self.took = took.wholeNanoseconds
        notEnforced = trial.notEnforced
    }

    private enum CodingKeys: String, CodingKey {
        case format, library, signature, returned, rule
        case isSuccess = "success"
        case took = "took_ns"
        case notEnforced = "not_enforced"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What one call of a function came to. `format` is the version of its JSON shape.
package struct FunctionReport: Hashable, Encodable {
    package let format = 1
    package let library: String
    /// In C's words, as it was asked for.
    package let signature: String
    /// What it returned and what it left behind, as a journal would have it.
    package let returned: String
    package let isSuccess: Bool
    /// The rule that tells success from failure; nil where returning is enough.
    package let rule: String?
    /// From the plan on: with the loading of the library.
    package let took: Int64

    init(_ trial: FunctionTrial, _ text: String, isSuccess: Bool, took: Duration) {
        library = trial.library
        signature = trial.handler.signature
        returned = text
        self.isSuccess = isSuccess
        rule = trial.handler.result.rule
        self.took = took.wholeNanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case format, library, signature, returned, rule
        case isSuccess = "success"
        case took = "took_ns"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What one call of a function came to. `format` is the version of its JSON shape.
struct FunctionReport: Hashable, Encodable {
    let format = 1
    let library: String
    /// In C's words, as it was asked for.
    let signature: String
    /// What it returned and what it left behind, as a journal would have it.
    let returned: String
    let isSuccess: Bool
    /// The rule that tells success from failure; nil where returning is enough.
    let rule: String?
    /// From the plan on: with the loading of the library.
    let took: Int64

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
        case took = "took-ns"
    }
}

extension FunctionReport: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("function", signature)
        fields.add("library", library)
        fields.add("returned", returned)
        fields.add("verdict", (isSuccess ? "success" : "failure") + (rule.map { ", by \($0)" } ?? ""))
        fields.add("took", "\(Duration.nanoseconds(took).humanReadable), with the loading of the library")
        return fields.text
    }
}

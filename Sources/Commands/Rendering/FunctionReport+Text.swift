// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FunctionTrial
import TaskModel
import TerminalText

extension FunctionReport: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("function", signature)
        fields.add("library", library)
        fields.add("returned", returned)
        fields.add("verdict", (isSuccess ? "success" : "failure") + (rule.map { ", by \($0)" } ?? ""))
        fields.add("took", "\(Duration.nanoseconds(took).humanReadable), including the loading of the library")
        return fields.text
    }
}

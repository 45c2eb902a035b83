// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension TaskCursorReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("task", identifier)
        fields.add("plugin", version.map { "\(plugin) \($0)" } ?? plugin)
        fields.add("moved", "\(movedAt.text(for: reader)) by submission \(submission)")
        fields.add("length", length == 1 ? "1 byte" : "\(length) bytes")
        fields.add("cursor", text ?? hex ?? "hidden: the contents of a cursor need the role operate")
        if standstills > 0 {
            fields.add("not moved", standstills == 1 ? "in the last run" : "in the last \(standstills) runs")
        }
        return fields.text
    }
}

extension TaskCursorClearReply: Presentable {
    func text(for reader: Reader) -> String {
        "the cursor of \(identifier) is deleted; its next run begins from the start".terminalSafe + "\n"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension HostReloadReply: Presentable {
    func text(for reader: Reader) -> String {
        let warnings = warnings.map { "warning: \($0)".terminalSafe + "\n" }.joined()
        if applied.isEmpty, needingRestart.isEmpty { return "the configuration is unchanged\n" + warnings }
        var text = applied.isEmpty ? "" : "applied: \(applied.joined(separator: ", "))\n"
        if !needingRestart.isEmpty {
            text += "restart the host to apply: \(needingRestart.joined(separator: ", "))\n"
        }
        return text.terminalSafeLines + warnings
    }
}

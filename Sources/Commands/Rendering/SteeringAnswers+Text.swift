// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension PluginPauseReply: Presentable {
    func text(for reader: Reader) -> String {
        let extent = pause.until.map { "until \($0.text(for: reader))" } ?? "until it is resumed"
        return "\(plugin) is paused \(extent); its running launches continue".terminalSafe + "\n"
    }
}

extension PluginResumeReply: Presentable {
    func text(for reader: Reader) -> String {
        let result = wasPaused ? "is resumed; its pending work may start" : "was not paused"
        return "\(plugin) \(result)".terminalSafe + "\n"
    }
}

extension LaunchStopReply: Presentable {
    func text(for reader: Reader) -> String {
        let tasks =
            tasks.isEmpty ? "its tasks have ended, and its assertions expire" : "\(tasks.joined(separator: ", "))"
        return "launch \(launch) is being stopped: \(tasks)".terminalSafe + "\n"
    }
}

extension PluginPauseState {
    /// The start of the pause, the user who made it, and its end, if known.
    func text(for reader: Reader) -> String {
        let caller = user.map { user in
            " by user \(user.uid), process \(user.pid)" + (user.command.map { " (\($0))" } ?? "")
        }
        let end = until.map { "until \($0.text(for: reader))" } ?? "until it is resumed"
        return "since \(since.text(for: reader))\(caller ?? ""), \(end)"
    }
}

extension [WaitingReason] {
    /// The end of a sentence about accepted work: the pauses for whose end it waits; empty without a pause.
    func waitText(for reader: Reader) -> String {
        isEmpty ? "" : "; it waits for " + map { $0.text(for: reader) }.joined(separator: ", and for ")
    }
}

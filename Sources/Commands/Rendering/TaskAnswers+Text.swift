// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension TaskSubmissionReply: Presentable {
    func text(for reader: Reader) -> String {
        let replacement = replaced.map { ", replacing submission \($0)" } ?? ""
        let begin = earliestBegin?.beginText("; it runs no earlier than", for: reader) ?? ""
        let end = expiresAt.map { "; it lapses if it has not started by \($0.text(for: reader))" } ?? ""
        let sentence =
            "submission \(submission) of \(identifier) is pending for \(plugin)\(replacement)\(begin)\(end)"
            + (waiting ?? []).waitText(for: reader)
        return sentence.terminalSafe + "\n"
    }
}

extension TaskDryRunReply: Presentable {
    func text(for reader: Reader) -> String {
        let replacement = replaced.map { ", replacing submission \($0)" } ?? ""
        let begin = earliestBegin?.beginText("; it would run no earlier than", for: reader) ?? ""
        let end = expiresAt.map { "; it would lapse without a start by \($0.text(for: reader))" } ?? ""
        let sentence =
            "\(identifier) would be pending for \(plugin)\(replacement)\(begin)\(end)"
            + (waiting ?? []).waitText(for: reader)
        return sentence.terminalSafe + "\n"
    }
}

extension Timestamp {
    /// A clause that ends in this earliest begin; empty when the time has passed, because nothing waits for it then.
    fileprivate func beginText(_ words: String, for reader: Reader) -> String {
        wall > reader.now ? "\(words) \(text(for: reader))" : ""
    }
}

extension TaskBatchResult {
    /// The output line for one request of a file.
    ///
    /// - Parameter line: the number of the request's line in the file.
    func text(line: Int, for reader: Reader) -> String {
        switch self {
        case .submitted(let reply): return reply.text(for: reader)
        case .refused(let reply):
            let remedy = reply.error.remedy.map { "; remedy: \($0)" } ?? ""
            let text = "\(reply.error.code) (\(reply.error.subReason)): \(reply.error.message)\(remedy)"
            return "line \(line) is refused: \(text)".terminalSafe + "\n"
        }
    }
}

extension PluginTriggerReply: Presentable {
    func text(for reader: Reader) -> String {
        let pauses = (waiting ?? []).waitText(for: reader)
        return "event \(submission) waits for delivery to \(plugin)\(pauses)".terminalSafe + "\n"
    }
}

extension PluginPushReply: Presentable {
    func text(for reader: Reader) -> String { sentence(for: reader).terminalSafe + "\n" }

    private func sentence(for reader: Reader) -> String {
        switch state {
        case .stored:
            let replacement = replaced.map { ", replacing push \($0)" } ?? ""
            let end = expiresAt.map { "; it lapses if it has not started by \($0.text(for: reader))" } ?? ""
            return "push \(submission) waits for delivery to \(plugin)\(replacement)\(end)"
        case .replaced:
            let successor = successor.map { "push \($0)" } ?? "a newer push"
            return "push \(submission) to \(plugin) was replaced by \(successor)"
        case .shown: return "push \(submission) to \(plugin) is shown"
        case .lapsed:
            let cause = "its deadline has passed, or it had to start at once and could not"
            return "push \(submission) to \(plugin) lapsed: \(cause)"
        }
    }
}

extension PushTokenReply: Presentable {
    func text(for reader: Reader) -> String { token.terminalSafe + "\n" }
}

extension PushTokenRevocationReply: Presentable {
    func text(for reader: Reader) -> String {
        (isRevoked ? "the device token of \(plugin) has ended" : "\(plugin) has no device token").terminalSafe + "\n"
    }
}

extension TaskCancellationReply: Presentable {
    func text(for reader: Reader) -> String {
        isCancelled
            ? "the pending request is cancelled\n"
            : "no request with that identifier was pending; a running task of that identifier continues, and is not"
                + " requeued when interrupted\n"
    }
}

extension TaskStopReply: Presentable {
    func text(for reader: Reader) -> String {
        launch.map { "the task in launch \($0) is being stopped\n" }
            ?? "the request is cancelled; its task had not begun\n"
    }
}

extension RunReply: Presentable {
    func text(for reader: Reader) -> String {
        let pauses = waiting ?? []
        let waits = pauses.map { "a requested task waits for \($0.text(for: reader))".terminalSafe + "\n" }.joined()
        if launching.isEmpty {
            return waits.isEmpty ? "no launch starts yet; show the reason with: bgtask why TASK\n" : waits
        }
        return launching.map { "launch \($0) is starting, or already runs and takes the task\n" }.joined() + waits
    }
}

extension ExpirationSimulationReply: Presentable {
    func text(for reader: Reader) -> String {
        "the expiration of the task in launch \(launch) is simulated, with the reason budget used up\n"
    }
}

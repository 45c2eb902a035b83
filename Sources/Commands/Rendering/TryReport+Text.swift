// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginLaunch
import PluginTrial
import RunnerWire
import SandboxPolicy
import TaskModel
import TerminalText

extension TryReport: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("task", "\(task) (\(kind))")
        fields.add("library", library)
        fields.add("outcome", "\(outcome): \(meaning)")
        fields.add("message", message)
        fields.add("expired", expired)
        fields.add(
            "limit",
            passedLimit.map { "open tasks and assertions expired after \(Duration.nanoseconds($0).humanReadable)" }
        )
        fields.add("progress", progress)
        fields.add("submitted", each: submissions.map(\.text))
        fields.add("violation", each: violations.map { ($0.rule.map { "\($0): " } ?? "") + $0.message })
        fields.add("denied", each: denied)
        fields.add("took", Duration.nanoseconds(took).humanReadable + ", including the loading of the library")
        fields.add("cpu", processorTime.map { Duration.nanoseconds($0).humanReadable })
        fields.add("process", end + (leftProcesses == 0 ? "" : "; processes left behind: \(leftProcesses)"))
        return fields.text
    }
}

extension TryReport.Submitted {
    var text: String {
        let begin = earliestBegin.map { ", begins no earlier than \(Timestamp(WallTime(nanoseconds: $0)))" } ?? ""
        let deadline = expiresAt.map { ", lapses at \(Timestamp(WallTime(nanoseconds: $0)))" } ?? ""
        return "\(identifier) (\(kind)\(begin)\(deadline)): \(answer)" + (message.map { ": \($0)" } ?? "")
    }
}

extension TrialLog.Entry {
    /// The line that shows the event while the task runs; nil for an event without a line.
    func line(grants: [LimitedGrant]) -> String? {
        event.words(grants: grants).map { words in
            let time = String(Duration.nanoseconds(time.wholeNanoseconds).humanReadable)
            return String(repeating: " ", count: max(0, 7 - time.count)) + time + "  " + words.terminalSafe
        }
    }
}

extension TrialEvent {
    fileprivate func words(grants: [LimitedGrant]) -> String? {
        switch self {
        case .entered(0, let registered, let offersReceive, _):
            "entered: "
                + (registered.map(\.description).sorted() + (offersReceive ? ["events"] : []))
                .joined(separator: ", ")
        case .entered(let status, _, _, let cause):
            "entry returned \(ABIVocabulary.status.name(of: Int64(status))) (\(status))"
                + (cause.map { ": \($0)" } ?? "")
        case .registered(let identifier): "registered \(identifier)"
        case .loadFailed(let message), .notStarted(let message): message
        case .delivered(_, let identifier): "delivered \(identifier)"
        case .completed(let task, let outcome, let message):
            "completed\(Self.suffix(task)): \(outcome.taskOutcome.rawValue)" + (message.map { ": \($0)" } ?? "")
        case .expired(_, let reason): "expired: \(reason.name)"
        case .progress(let task, let progress): "progress\(Self.suffix(task)): \(progress.done) of \(progress.total)"
        case .title(_, let title, let subtitle): "title: " + title + (subtitle.map { " / \($0)" } ?? "")
        case .assertionBegan(_, let name): "assertion began: \(name)"
        case .assertionEnded: "assertion ended"
        case .assertionsExpired(let reason): "assertions expired: \(reason.name)"
        case .submitted(let request, _, let refusal, _):
            "submitted \(request.identifier) (\(request.kind.name)): " + (refusal?.description ?? "accepted")
        case .transferRefused(let transfer, let refusal):
            "\(transfer.direction.name) of \(transfer.shownURL): \(refusal)"
        case .cancelled(let identifier): "cancelled " + (identifier?.text ?? "all requests")
        case .listed(let count): "listed \(count) pending \(count == 1 ? "request" : "requests")"
        case .fetchInterval(let interval): "fetch interval: " + (interval?.humanReadable ?? "never")
        case .violation(let kind, let message):
            "violation" + (kind.rule.map { " of \($0.rawValue)" } ?? "") + ": \(message)"
        case .log(let level, _, let message): "\(level.name): \(message)"
        case .output(let stream, let line): "\(stream.rawValue): \(line)"
        case .outputDropped(let stream, let lines): "\(stream.rawValue): \(lines) lines above the rate limit dropped"
        case .denied(let call): call.message(grants: grants)
        case .malformed(let message): "violation of \(ABIRule.processOfHost.rawValue): \(message)"
        case .limitPassed(let limit): "the time limit of the trial passed: \(limit.humanReadable)"
        case .overdue: "killed at the end of the grace period"
        case .expirationHandler, .stopping, .stopped, .ended: nil
        }
    }

    /// The number of a task that the launch submitted itself, counted from 2, in parentheses, as ` (task 2)`; empty for
    /// the tried task.
    private static func suffix(_ task: Int) -> String { task == 0 ? "" : " (task \(task + 1))" }
}

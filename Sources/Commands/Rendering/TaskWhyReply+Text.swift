// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension TaskWhyReply: Presentable {
    /// The state in a sentence, followed by the blocking reasons, the change that would help and the last outcome.
    /// Tables of the policies and of the past waits follow.
    func text(for reader: Reader) -> String {
        var text = sentence.terminalSafe + "\n"
        if state != .pending, !reasons.isEmpty {
            text += submission == nil ? "a new request would be refused:\n" : "the next request waits\(number):\n"
        } else if state != .pending, isEligible == true {
            text += "the next request may run now\(number)\n"
        }
        if isEligible != true {
            for reason in reasons {
                text += "  \(reason.text(for: reader))".terminalSafe + "\n" + remedyLine(of: reason)
            }
        }
        let facts = facts(for: reader).text
        if !facts.isEmpty { text += "\n" + facts }
        if let policies, !policies.isEmpty { text += "\n" + table(of: policies, for: reader).text }
        if let history, !history.isEmpty { text += "\n" + table(of: history, for: reader).text }
        return text
    }

    /// The remedy of one of several reasons, on a line of its own. The remedy of a single reason is the one change.
    private func remedyLine(of reason: WaitingReason) -> String {
        guard change == nil, let remedy = reason.remedy else { return "" }
        return "    remedy: \(remedy)".terminalSafe + "\n"
    }

    private func table(of policies: [PolicyVerdict], for reader: Reader) -> Table {
        var table = Table("POLICY", "VERDICT", "UNTIL", "RATIONALE")
        for policy in policies {
            let until = policy.until?.relativeText(for: reader) ?? ""
            table.add(policy.policy, policy.verdict, until, policy.rationale)
        }
        return table
    }

    private func table(of history: [Wait], for reader: Reader) -> Table {
        var table = Table("WAITED FOR", "SUBMISSION", "SINCE", "FOR")
        for wait in history {
            table.add(
                wait.code,
                "\(wait.submission)",
                wait.since.localText(for: reader),
                wait.duration.duration.humanReadable + (wait.until == nil ? ", still" : "")
            )
        }
        return table
    }

    private var sentence: String {
        let owner = plugin.map { " of \($0)" } ?? ""
        let task = plugin == identifier ? "an event of \(identifier)" : identifier + owner
        switch state {
        case .pending where isEligible == true: return "\(task) may run now\(number)"
        case .pending: return "\(task) waits\(number):"
        case .running:
            guard let running else { return "\(task) is running" }
            let used = running.used.duration.humanReadable
            let budget = running.budget.map { " of \($0.duration.humanReadable)" } ?? ""
            return "\(task) is running in launch \(running.launch), \(used)\(budget) used"
        case .finished:
            return "\(task) is neither pending nor running; it ended as \(lastOutcome?.outcome ?? "unknown")"
        case .unknown where plugin == identifier: return "\(identifier) is a plugin, and no event waits for it"
        case .unknown: return "\(task) is neither pending nor running, and no outcome of it is recorded"
        }
    }

    /// Kind and number of the pending request, as ` (processing, submission 12)`; empty without a pending request.
    private var number: String {
        let parts = [kind, submission.map { "submission \($0)" }].compactMap { $0 }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }

    /// Whether a reason blocks the pending request until its deadline or longer, unless a user or a change ends it.
    private var outlastsDeadline: Bool {
        guard state == .pending, let expiresAt else { return false }
        return reasons.contains { reason in
            reason.code != "deadline-passed" && reason.until.map { $0 >= expiresAt } ?? false
        }
    }

    private func facts(for reader: Reader) -> FieldList {
        var facts = FieldList()
        facts.add("schedule", schedule.map { "\($0.rhythm) (\($0.kind)), in the configuration of \($0.plugin)" })
        facts.add("next occurrence", nextOccurrence?.text(for: reader))
        facts.add("lapses at", expiresAt?.text(for: reader))
        if outlastsDeadline {
            facts.add("", "before its earliest start: submit it with a later expires_at, or run it now with bgtask run")
        }
        facts.add("cursor", cursor?.text(for: reader))
        facts.add("claim", each: claim?.lines(for: reader) ?? [])
        if let replacements {
            facts.add("replaced", replacements.text(by: plugin, for: reader))
            if replacements.isMostly(by: plugin) { facts.add("", Replacements.hint) }
        }
        if isEligible == false {
            switch earliestPossible {
            case .at(let time): facts.add("earliest possible", time.text(for: reader))
            case .unknown: facts.add("earliest possible", "unknown: a reason above ends at no known time")
            case nil: break
            }
            facts.add("one change", change?.message ?? "none suffices: each reason above blocks the task by itself")
        } else {
            facts.add("one change", change?.message)
        }
        if let last = lastOutcome {
            let launch = last.launch.map { ", launch \($0)" } ?? ""
            let blame = last.blame == Blame.nobody.rawValue ? "" : ", blame \(last.blame)"
            facts.add("last outcome", "\(last.outcome), \(last.at.text(for: reader))\(launch)\(blame)")
            if !last.message.isEmpty { facts.add("", last.message) }
            facts.add("next commands", each: nextCommands(after: last))
        }
        return facts
    }

    /// The commands with which a user continues after a failure; empty after a success, an interruption or a stop by a
    /// user. Every task but an event can be submitted again when none of its requests is left.
    private func nextCommands(after last: LastOutcome) -> [String] {
        guard let outcome = TaskOutcome(rawValue: last.outcome), last.blame != Blame.user.rawValue,
            ![.succeeded, .noData, .interrupted].contains(outcome)
        else { return [] }
        let logs = last.launch.map { "bgtask logs \($0): what the plugin wrote" }
        let isEvent = plugin == identifier
        let retry = state == .finished && !isEvent ? "bgtask task retry \(identifier): submit it again" : nil
        return [logs, retry].compactMap(\.self)
    }
}

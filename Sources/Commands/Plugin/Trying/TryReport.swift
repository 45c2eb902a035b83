// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import PluginTrial
import RunnerWire
import SandboxPolicy
import TaskModel

/// Result of one task without a host. `format` is the version of its JSON structure.
struct TryReport: Hashable, Encodable {
    struct Line: Hashable, Encodable {
        /// A level of the log, or a stream of the process.
        let source: String
        let text: String
    }

    struct Submitted: Hashable, Encodable {
        let identifier: String
        let kind: String
        /// Time in nanoseconds since 1970; nil for none.
        let earliestBegin: Int64?
        /// The deadline in nanoseconds since 1970; nil for none.
        let expiresAt: Int64?
        let payloadSize: Int
        /// `accepted`, or the code of the refusal.
        let answer: String
        /// Message of the refusal; nil when the request was accepted.
        let message: String?

        private enum CodingKeys: String, CodingKey {
            case identifier, kind, answer, message
            case earliestBegin = "earliest_begin_ns"
            case expiresAt = "expires_at_ns"
            case payloadSize = "payload_bytes"
        }
    }

    struct Violation: Hashable, Encodable {
        /// The violated rule; nil when it is not a rule of the ABI.
        let rule: String?
        let message: String
    }

    let format = 1
    let plugin: String
    let library: String
    let task: String
    let kind: String
    let outcome: String
    let meaning: String
    /// Message of the completion, or of a failed entry or load; nil without one.
    let message: String?
    /// Reason of the expiration; nil when the task did not expire.
    let expired: String?
    /// The time limit of the trial in nanoseconds, if it passed; nil when the launch ended within it.
    let passedLimit: Int64?
    /// The last progress as `DONE/TOTAL`; nil without one.
    let progress: String?
    let log: [Line]
    let submissions: [Submitted]
    let violations: [Violation]
    /// Refused system calls, each with its remedy.
    let denied: [String]
    /// Nanoseconds from sending the plan to the completion, or to the end of the process.
    let took: Int64
    /// Processor time of the process in nanoseconds; nil when unknown.
    let processorTime: Int64?
    let end: String
    let leftProcesses: Int
    let notEnforced: [UnenforcedGuarantee]

    private enum CodingKeys: String, CodingKey {
        case format, plugin, library, task, kind, outcome, meaning, message, expired, progress, log, submissions
        case violations, denied, end
        case passedLimit = "passed_limit_ns"
        case took = "took_ns"
        case processorTime = "cpu_ns"
        case leftProcesses = "left_processes"
        case notEnforced = "not_enforced"
    }
}

extension TryReport {
    init(_ log: TrialLog, of task: TriedTask, library: String, _ subject: TrialSubject) {
        let result = log.outcome(of: 0, identifier: task.identifier, event: task.event)
        plugin = subject.plugin.identifier.text
        self.library = library
        self.task = task.event?.name ?? task.identifier
        kind = task.kind.name
        outcome = result.rawValue
        meaning = result.meaning(isEvent: task.kind == .event)
        message = log.completion(of: 0)?.message ?? log.failure
        expired = log.expiration(of: 0)?.name
        passedLimit = log.passedLimit?.wholeNanoseconds
        progress = log.all { if case .progress(0, let at) = $0 { "\(at.done)/\(at.total)" } else { nil } }.last
        self.log = log.all { event in
            switch event {
            case .log(let level, _, let message): Line(source: level.name, text: message)
            case .output(let stream, let line): Line(source: stream.rawValue, text: line)
            default: nil
            }
        }
        submissions = log.all { event in
            guard case .submitted(let request, let size, let refusal, _) = event else { return nil }
            return Submitted(
                identifier: request.identifier.text,
                kind: request.kind.name,
                earliestBegin: request.earliestBegin?.nanoseconds,
                expiresAt: request.expiresAt?.nanoseconds,
                payloadSize: size,
                answer: refusal?.code.name ?? "accepted",
                message: refusal?.message
            )
        }
        violations = log.all { event in
            switch event {
            case .violation(let kind, let message): Violation(rule: kind.rule?.rawValue, message: message)
            case .malformed(let message): Violation(rule: ABIRule.processOfHost.rawValue, message: message)
            default: nil
            }
        }
        denied = log.all { if case .denied(let call) = $0 { call.message(grants: subject.grants) } else { nil } }
        let isDone = { (event: TrialEvent) in if case .completed(0, _, _) = event { true } else { false } }
        took = (log.time(of: isDone) ?? log.entries.last?.time ?? .zero).wholeNanoseconds
        processorTime = log.processorTime?.wholeNanoseconds
        end = log.end.map { $0.lastWords.map { signalName($0.signal) } ?? $0.termination.words } ?? "unknown"
        leftProcesses = log.end?.leftRunning ?? 0
        notEnforced = subject.sandboxes.unenforced(by: "bgtask plugin try")
    }

    /// Whether the plugin completed the task with success, or without new data.
    var isSuccess: Bool { [TaskOutcome.succeeded, .noData].map(\.rawValue).contains(outcome) }
}

extension TaskOutcome {
    /// The explanation of the outcome in the report, for a task or for an event.
    fileprivate func meaning(isEvent: Bool) -> String {
        switch self {
        case .succeeded: isEvent ? meaning : "the plugin completed the task"
        case .notRegistered:
            isEvent ? "the plugin has no receiver for the event" : "the plugin registered no handler for the task"
        default: meaning
        }
    }
}

extension TrialLog {
    /// The cause of a task that was not delivered: a failed load or a failed entry. Nil when the entry succeeded or has
    /// not returned.
    fileprivate var failure: String? {
        if let message = first({ if case .loadFailed(let message) = $0 { message } else { nil } }) { return message }
        return entryFailure.map { "entry returned \($0)" }
    }
}

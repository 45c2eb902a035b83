// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

extension RunnerLaunch {
    func describe(_ task: TaskID, _ out: UnsafeMutablePointer<bgt_task_info>?) -> Int32 {
        if let status = bar("task_info") { return status }
        var information: bgt_task_info
        switch state.withLock({ ($0.tasks.presence(of: task), $0.open[task]) }) {
        case (.completed, _): return BGT_ALREADY_COMPLETED
        case (.open(let reason), let open?):
            information = open.information
            information.expiration_reason = reason?.rawValue ?? 0
        case (.unknown, _), (.open, nil): return BGT_NO_SUCH_TASK
        }
        guard let out else { return BGT_INVALID }
        return ForeignStruct.fill(out, with: information) ? BGT_OK : BGT_INVALID
    }

    /// Sets, replaces or removes the expiration handler of a task.
    ///
    /// - Parameter handler: nil removes the current handler.
    /// - Returns: the status; on any status except `BGT_OK` the handler still belongs to the caller.
    func setExpirationHandler(_ handler: ExpirationHandler?, of task: TaskID) -> Int32 {
        if let status = bar("set_expiration_handler") { return status }
        let change = state.withLock { state in
            let change = state.tasks.setHandler(handler, of: task)
            // Sent under the lock: changes of two threads reach the host in the order in which they took effect.
            if case .changed(_, let isSet?, _) = change { channel.send(.expirationHandler(task, isSet: isSet)) }
            return change
        }
        switch change {
        case .unknown: return BGT_NO_SUCH_TASK
        case .alreadyCompleted: return BGT_ALREADY_COMPLETED
        case .changed(let replaced, _, let mustCall):
            replaced?.release()
            if mustCall { startExpirationCall(of: task) }
            return BGT_OK
        }
    }

    /// Completes a task and reports its outcome to the host.
    ///
    /// - Parameter text: result of a bound function, for the journal; nil for other tasks.
    func complete(_ task: TaskID, outcome: Int32, saying text: String? = nil) -> Int32 {
        if let status = bar("complete") { return status }
        let (completion, closed) = state.withLock { state in
            let completion = state.tasks.complete(task, outcome: outcome, at: .now)
            guard case .recorded(let outcome, _) = completion else { return (completion, OpenTask?.none) }
            // The last reports of a continued task precede its completion.
            for message in state.closeReports(of: task) { channel.send(message) }
            channel.send(text.map { .returned(task, outcome, text: $0) } ?? .completed(task, outcome))
            return (completion, state.open.removeValue(forKey: task))
        }
        closed?.free()
        switch completion {
        case .recorded(_, let handler):
            handler?.release()
            return BGT_OK
        case .alreadyCompleted:
            violation(
                .oneCompletion,
                "task \(task) was completed again, with \(Self.name(ofOutcome: outcome)); only the first completion"
                    + " counts; complete each task once"
            )
            return BGT_ALREADY_COMPLETED
        case .unknown:
            violation(
                .numbers,
                "task \(task) was completed, but was not delivered to this launch (\(plan.launch));"
                    + " complete the task that the handler received"
            )
            return BGT_NO_SUCH_TASK
        case .invalidOutcome: return BGT_INVALID
        case .tooLate: return BGT_ENDED
        }
    }

    /// The name of an outcome as in the header; the number itself when it is none.
    private static func name(ofOutcome outcome: Int32) -> String {
        switch outcome {
        case BGT_OUTCOME_SUCCESS: "BGT_OUTCOME_SUCCESS"
        case BGT_OUTCOME_FAILURE: "BGT_OUTCOME_FAILURE"
        case BGT_OUTCOME_NO_DATA: "BGT_OUTCOME_NO_DATA"
        default: "the invalid outcome \(outcome)"
        }
    }

    func isExpiring(_ task: TaskID) -> Int32 {
        state.withLock { state in
            // After the end of the launch the result is 1, so that a polling loop ends as well.
            if !state.hasEnded, case .open(nil) = state.tasks.presence(of: task) { 0 } else { 1 }
        }
    }
}

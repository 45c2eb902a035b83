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
            information.expiration_reason = plan.imitation.number(reason?.rawValue ?? 0)
        case (.unknown, _), (.open, nil): return BGT_NO_SUCH_TASK
        }
        guard let out else { return BGT_INVALID }
        let minimum = ForeignStruct.MinorZero.taskInfo
        return ForeignStruct.fill(out, with: information, minimum: minimum) ? BGT_OK : BGT_INVALID
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

    /// Completes a task and reports its outcome to the host. A number that is no outcome completes the task as failed,
    /// and a call inside a visitor of `pending` completes it too, so that neither mistake leaves the task open. After
    /// the end of the launch the call has no effect.
    func complete(_ task: TaskID, outcome number: Int32, _ message: UnsafePointer<CChar>?) -> Int32 {
        guard let refused = bar("complete") else { return completeOrFail(task, outcome: number, message) }
        if refused == BGT_WRONG_PHASE { _ = completeOrFail(task, outcome: number, message) }
        return refused
    }

    private func completeOrFail(_ task: TaskID, outcome number: Int32, _ message: UnsafePointer<CChar>?) -> Int32 {
        let given = message.map { ForeignText.readRepaired($0, limit: Int(BGTASK_MESSAGE_MAX)) }
        // Languages without a null string pass an empty one.
        let text = given == "" ? nil : given
        if let outcome = CompletionOutcome(rawValue: number) { return complete(task, as: outcome, saying: text) }
        let status = complete(task, as: .failure, saying: text)
        if status != BGT_OK { return status }
        violation(
            .completedWithoutOutcome,
            "task \(task) was completed with \(number), which is no BGT_OUTCOME_... of this host, and counts as failed;"
                + " complete it with BGT_OUTCOME_SUCCESS, BGT_OUTCOME_FAILURE or BGT_OUTCOME_NO_DATA"
        )
        return number > 0 ? BGT_TOO_NEW : BGT_INVALID
    }

    /// Completes a task and reports its outcome to the host.
    ///
    /// - Parameter message: the plugin's message, or the result of a bound function, for the journal; nil for none.
    func complete(_ task: TaskID, as outcome: CompletionOutcome, saying message: String?) -> Int32 {
        let (completion, closed) = state.withLock { state in
            let completion = state.tasks.complete(task, as: outcome, at: .now)
            guard case .recorded = completion else { return (completion, OpenTask?.none) }
            slots.close(task)
            // The last reports of a continued task precede its completion.
            collectProgress(of: task, &state)
            for message in state.closeReports(of: task) { channel.send(message) }
            channel.send(.completed(task, outcome, message: message))
            return (completion, state.open.removeValue(forKey: task))
        }
        closed?.free()
        switch completion {
        case .recorded(_, let handler):
            handler?.release()
            return BGT_OK
        case .alreadyCompleted(afterExpiration: true): return BGT_ALREADY_COMPLETED
        case .alreadyCompleted(afterExpiration: false):
            violation(
                .completedTwice,
                "task \(task) was completed again, with \(Self.name(of: outcome)); only the first completion"
                    + " counts; complete each task once"
            )
            return BGT_ALREADY_COMPLETED
        case .unknown:
            violation(
                .completedForeign,
                "task \(task) was completed, but was not delivered to this launch (\(plan.launch));"
                    + " complete the task that the handler received"
            )
            return BGT_NO_SUCH_TASK
        case .tooLate: return BGT_ENDED
        }
    }

    /// The name of an outcome as in the header.
    private static func name(of outcome: CompletionOutcome) -> String {
        "\(ABIVocabulary.outcome.name(of: Int64(outcome.rawValue)))"
    }

    func isExpiring(_ task: TaskID) -> Int32 {
        state.withLock { state in
            // After the end of the launch the result is 1, so that a polling loop ends as well.
            if !state.hasEnded, case .open(nil) = state.tasks.presence(of: task) { 0 } else { 1 }
        }
    }
}

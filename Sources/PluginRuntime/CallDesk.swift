// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

/// Where a plugin's blocking call waits for the host's answer. Knows nothing of what was asked.
final class CallDesk: Sendable {
    enum Answer: Sendable {
        case submitted(SubmissionNumber)
        case refused(Refusal)
        case cancelled(isRecorded: Bool)
        case pending([PendingSummary])
    }

    private struct State {
        var last: UInt64 = 0
        /// Nil until the answer has come.
        var open: [CallNumber: Answer?] = [:]
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Blocks. Never called on the control thread, which brings the answers.
    ///
    /// - Parameter send: whether the question could be sent.
    /// - Returns: nil when no answer will come.
    func call(_ send: (CallNumber) -> Bool) -> Answer? {
        let number = state.change { state in
            state.last += 1
            let number = CallNumber(rawValue: state.last)
            state.open[number] = .some(nil)
            return number
        }
        guard send(number) else {
            state.change { _ = $0.open.removeValue(forKey: number) }
            return nil
        }
        return state.wait { state -> Answer?? in
            if state.isClosed { return .some(nil) }
            guard case .some(.some(let answer)) = state.open[number] else { return nil }
            state.open[number] = nil
            return .some(answer)
        }
    }

    /// Answers to calls that nobody made are dropped.
    func answer(_ number: CallNumber, _ answer: Answer) {
        state.change { state in
            if state.open[number] != nil { state.open[number] = .some(answer) }
        }
    }

    /// No answer will come any more.
    func close() {
        state.change { $0.isClosed = true }
    }
}

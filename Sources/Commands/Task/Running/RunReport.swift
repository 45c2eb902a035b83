// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

/// The result of `bgtask run`: the requests that it submitted, and the answer to the launch.
struct RunReport: Encodable, Presentable {
    let submitted: [TaskSubmissionReply]
    let launching: [Int64]
    let waiting: [WaitingReason]?

    init(submitted: [TaskSubmissionReply] = [], run: RunReply) {
        self.submitted = submitted
        launching = run.launching
        waiting = run.waiting
    }

    /// - Parameter reasons: the reasons for which the submitted requests wait; empty when they were already launched.
    init(submitted: [TaskSubmissionReply], reasons: [WaitingReason]) {
        self.submitted = submitted
        launching = []
        waiting = reasons.isEmpty ? nil : reasons
    }

    func text(for reader: Reader) -> String {
        let submissions = submitted.map { $0.text(for: reader) }.joined()
        if !submitted.isEmpty, launching.isEmpty, waiting == nil { return submissions + "it is launched already\n" }
        // The lines of the submissions name their pauses.
        let named = submitted.flatMap { $0.waiting ?? [] }
        let others = (waiting ?? []).filter { !named.contains($0) }
        if launching.isEmpty, others.isEmpty, !named.isEmpty { return submissions }
        let run = RunReply(launching: launching.map(LaunchNumber.init(rawValue:)), waiting: others)
        return submissions + run.text(for: reader)
    }
}

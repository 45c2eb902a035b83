// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// The end of the waiting for a submission: the last journal entry of the submission, or the end of the time limit.
struct RunEnd: Sendable {
    let task: TaskIdentifier
    let submission: Int64
    /// The entry that ended the submission; nil when the time limit ended the waiting.
    let line: JournalLine?
    /// The time limit; nil when the submission has ended.
    let limit: Duration?

    /// Whether a submission never runs again after the journal event with this name.
    static func isEnd(_ event: String) -> Bool { ends.contains(event) }

    private static let ends = Set(JournalEntry.Event.allCases.filter(\.endsSubmission).map(\.name))

    /// Throws the failure with the exit status of the end, unless the task succeeded.
    func conclude() throws {
        guard let line else {
            let time = (limit ?? .zero).humanReadable
            throw CommandFailure(
                .timedOut,
                "submission \(submission) of \(task) has not ended after \(time); it continues",
                remedy: "show its state with: bgtask why \(task)"
            )
        }
        guard let status = Self.status(of: line.event) else { return }
        throw CommandFailure(status, "submission \(submission) of \(task) ended as \(line.event)")
    }

    /// The exit status for the last event of a submission; nil for success.
    private static func status(of event: String) -> ExitStatus? {
        switch TaskOutcome(rawValue: event) {
        case .succeeded, .noData: nil
        case .failed, .notRegistered, .noProgress: .taskFailed
        case .expired, .overran: .taskExpired
        case .abandoned: .taskAbandoned
        default: event == JournalEntry.Event.consumed.name ? .taskExpired : .taskCancelled
        }
    }
}

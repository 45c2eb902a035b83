// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The answers to pushes that one commit records, and the rows that it deletes.
struct RecordedAnswers: Sendable {
    let answers: [AnsweredPush]
    let deleted: DeletedAnswers

    /// The changes that record the answers together with their pushes.
    func changes(of plugin: PluginIdentifier) -> [LedgerChange] {
        answers.enumerated().map { index, answer in
            .keepPushAnswer(plugin, answer, oldest: deleted.oldest, dropped: index == 0 ? deleted.dropped : [])
        }
    }
}

/// The answers that one commit deletes from the ledger.
struct DeletedAnswers: Sendable {
    /// The answers to pushes with lower numbers are deleted.
    let oldest: SubmissionNumber
    /// Pushes whose answers are deleted besides.
    let dropped: [SubmissionNumber]
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The answers to pushes with an identifier, for the repetitions of these pushes (C21).
extension Scheduler {
    /// The answer to a repetition of an accepted push; nil for a new push.
    func answer(toRepetition push: Push, at now: Moment) -> Answer? {
        guard let identity = push.identity,
            let first = pushAnswers[push.plugin]?.push(with: identity, at: now.wall)
        else { return nil }
        return .pushed(first.number, first.result, expiresAt: first.expiresAt)
    }

    /// The answers that the commit of their pushes records, and the rows of dropped pushes that it deletes. Drops the
    /// pushes for which there is no capacity any more.
    mutating func recorded(_ answers: [AnsweredPush], of plugin: PluginIdentifier, at now: Moment) -> RecordedAnswers {
        if !answers.isEmpty { pushAnswers[plugin]?.makeRoom(for: answers, at: now.wall) }
        return RecordedAnswers(answers: answers, deleted: (pushAnswers[plugin] ?? AnsweredPushes()).deletable)
    }

    /// Adds answers whose commit has succeeded.
    mutating func note(_ recorded: RecordedAnswers, of plugin: PluginIdentifier, at now: Moment) {
        if recorded.answers.isEmpty { return }
        let isFirst = pushAnswers[plugin]?.isEmpty ?? true
        pushAnswers[plugin]?.noteDeletion(of: recorded.deleted)
        for answer in recorded.answers { pushAnswers[plugin, default: AnsweredPushes()].add(answer, at: now.wall) }
        if isFirst { awaitEndOfPushAnswers(of: plugin, at: now) }
    }

    /// Takes up the answers that the last host left.
    mutating func restorePushAnswers(_ answers: [PluginIdentifier: [AnsweredPush]], at now: Moment) {
        for (plugin, left) in answers {
            let kept = AnsweredPushes(left, at: now.wall)
            if kept.isEmpty { continue }
            pushAnswers[plugin] = kept
            awaitEndOfPushAnswers(of: plugin, at: now)
        }
    }

    /// Frees the memory of answers that are too old. Their rows are deleted with a later push, or are ignored by the
    /// next host.
    mutating func dropPushAnswers(of plugin: PluginIdentifier, at now: Moment) {
        pushAnswers[plugin]?.drop(at: now.wall)
        if pushAnswers[plugin]?.isSettled == true { pushAnswers[plugin] = nil }
        awaitEndOfPushAnswers(of: plugin, at: now)
    }

    private mutating func awaitEndOfPushAnswers(of plugin: PluginIdentifier, at now: Moment) {
        if pushAnswers[plugin]?.isEmpty ?? true { return }
        agenda.add(.pushAnswers(plugin), at: now.monotonic + AnsweredPushes.retention + .seconds(1))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Retries of tasks that their plugin completed as failed. A retry is the same submission, requeued with a delay.
extension Scheduler {
    /// Ends or requeues a task that its plugin completed as failed.
    mutating func fail(_ number: LaunchNumber, _ index: Int, blame: Blame, message: String, at now: Moment) {
        guard let execution = launches.find(number)?.execution else { return }
        let work = execution.tasks[index].work
        var jitter = SeededGenerator(
            seed: jitterSeed &+ UInt64(bitPattern: work.number.rawValue) &+ UInt64(work.retry.failures) << 48,
            for: work.label
        )
        let task = execution.tasks[index]
        let standstills = task.expiration == nil ? nil : task.standstills(isFault: false)
        let verdict = FailureVerdict(
            on: task,
            isBeingCancelled: isBeingCancelled(work),
            terms: terms(ofRetriesOf: work, as: execution.plan.plugin),
            configuration,
            using: &jitter,
            at: now.wall
        )
        switch verdict {
        case .ends(let text):
            noteStandstills(standstills, of: work, in: number)
            end(number, index, as: .failed, blame: blame, message: message + text, at: now)
        case .endsWithoutMovement:
            noteStandstills(0, of: work, in: number)
            let text = task.noProgress(after: message)
            end(number, index, as: .noProgress, blame: blame, message: text, at: now)
        case .continues(let retry, let text, let delay):
            let judgement = Aftermath.Judgement(
                index: index,
                verdict: .returned(.continues, retry),
                blame: blame,
                message: message + text,
                delay: delay.map { "; it may run again in \($0.humanReadable)" } ?? "",
                standstills: standstills
            )
            requeue(number, judgement, .continues, retry, at: now)
        case .retried(let retry, let attempt, let delay):
            let judgement = Aftermath.Judgement(
                index: index,
                verdict: .returned(.retrying, retry),
                blame: blame,
                message: "\(message); \(attempt) failed",
                delay: "; the task may run again in \(delay.humanReadable)",
                standstills: standstills
            )
            requeue(number, judgement, .retrying, retry, at: now)
        }
    }

    /// Whether a commit in flight cancels or stops the running task.
    private func isBeingCancelled(_ work: PendingWork) -> Bool {
        guard let identifier = work.identifier, plugins.contains(work.plugin) else { return false }
        return plugins[work.plugin].requests.overlay.forbidsReturn(of: work.number, identifier)
    }

    /// The terms under which the work is retried after a failure; nil for an event and for a push, which its sender may
    /// send again.
    private func terms(ofRetriesOf work: PendingWork, as entry: PluginEntry) -> FailureRetry? {
        guard work.kind != .push, let identifier = work.identifier else { return nil }
        return configuration.policy(for: work.plugin).retries.terms(for: identifier, proposed: entry.retries)
    }
}

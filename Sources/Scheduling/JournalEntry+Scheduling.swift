// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The entries about requests, tasks and calls.
extension JournalEntry {
    /// The entry about a pending request that a newer one replaced.
    static func replacement(of old: PendingRequest, by new: PendingRequest, at now: Moment) -> JournalEntry {
        JournalEntry(
            old,
            .replaced,
            at: now,
            message: "submission \(old.number) was replaced by submission \(new.number) before it ran",
            successor: new.number
        )
    }

    /// Creates a journal entry about a pending request.
    init(
        _ request: PendingRequest,
        _ event: Event,
        launch: LaunchNumber? = nil,
        at now: Moment,
        message: String,
        successor: SubmissionNumber? = nil
    ) {
        self.init(
            at: now.wall,
            event: event,
            plugin: request.plugin,
            launch: launch,
            label: request.request.identifier.text,
            submission: request.number,
            blame: .nobody,
            message: message,
            successor: successor,
            claim: request.request.claim?.claim
        )
    }
}

extension JournalEntry {
    /// The entry about a running task that was cancelled.
    ///
    /// - Parameter user: the user who cancelled the task; nil when a plugin did, or when an earlier host handled the
    ///   call.
    static func cancelledWhileRunning(
        _ work: PendingWork,
        launch: LaunchNumber,
        by user: CallingUser? = nil,
        at now: Moment
    ) -> JournalEntry {
        let message = "submission \(work.number) was cancelled or stopped while it ran and is not requeued"
        var entry = JournalEntry(work, .cancelled, launch: launch, at: now, blame: .nobody, message: message)
        entry.user = user
        return entry
    }

    /// The entry which states that an expired or stopped task ended without a completion, so that its request is used
    /// up and not requeued.
    static func consumed(
        _ work: PendingWork,
        by outcome: TaskOutcome,
        launch: LaunchNumber,
        blame: Blame,
        at now: Moment
    ) -> JournalEntry {
        let message =
            "submission \(work.number) was expired or stopped, then ended as \(outcome.rawValue); it is not requeued"
        return JournalEntry(work, .consumed, launch: launch, at: now, blame: blame, message: message)
    }

    /// The journal entry about a user's call that names the task identifier of a pending request or a running task.
    static func call(
        _ event: Event,
        of identifier: TaskIdentifier,
        _ plugin: PluginIdentifier,
        at now: Moment
    ) -> JournalEntry {
        JournalEntry(
            at: now.wall,
            event: event,
            plugin: plugin,
            label: identifier.text,
            blame: .nobody,
            message: event.row.meaning
        )
    }

    /// The journal entry about a user's call for a running task, such as its cancellation.
    static func call(_ event: Event, of task: RunningTask, _ plugin: PluginIdentifier, at now: Moment) -> JournalEntry {
        JournalEntry(
            at: now.wall,
            event: event,
            plugin: plugin,
            launch: task.launch,
            label: task.label,
            submission: task.submission,
            blame: .nobody,
            message: event.row.meaning
        )
    }

    /// The journal entry about a user's call to stop a launch without an unfinished task.
    static func stopRequested(of launch: LaunchNumber, _ plugin: PluginIdentifier, at now: Moment) -> JournalEntry {
        JournalEntry(
            at: now.wall,
            event: .stopRequested,
            plugin: plugin,
            launch: launch,
            blame: .nobody,
            message: "a user stopped a launch whose tasks have ended, and that open assertions kept running"
        )
    }

    /// Creates an entry about a task of a launch.
    init(
        _ work: PendingWork,
        _ event: Event,
        launch: LaunchNumber,
        at now: Moment,
        blame: Blame,
        message: String
    ) {
        self.init(
            at: now.wall,
            event: event,
            plugin: work.plugin,
            launch: launch,
            label: work.label,
            submission: work.number,
            blame: blame,
            message: message,
            claim: work.claim?.claim
        )
    }
}

// The entry about a launch.
extension JournalEntry {
    /// The entry about the start of a launch.
    static func launched(_ plan: LaunchPlan) -> JournalEntry {
        JournalEntry(
            at: plan.startedAt,
            event: .launched,
            plugin: plan.plugin.identifier,
            launch: plan.number,
            blame: .nobody,
            message: "\(tasks(of: plan)); cause \(plan.cause.name); \(plan.lane.name) lane;"
                + " process \(plan.process.pid)",
            count: plan.tasks.count
        )
    }

    private static func tasks(of plan: LaunchPlan) -> String {
        let named = plan.tasks.prefix(5).map(\.work.label).joined(separator: ", ")
        return plan.tasks.count > 5 ? "\(named) and \(plan.tasks.count - 5) more" : named
    }
}

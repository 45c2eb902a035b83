// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Cursors of tasks (C19). The decision loop keeps their bytes; the scheduler decides when they are stored and deleted.
extension Scheduler {
    /// Records which tasks of a launch began at a cursor.
    mutating func cursorsRead(_ cursors: [TaskID: Int], of number: LaunchNumber) {
        launches.execute(number) { execution in
            for (id, standstills) in cursors {
                guard let index = execution.index(of: id), execution.tasks[index].cursor == nil else { continue }
                execution.tasks[index].cursor = CursorState(standstills: standstills, isFromEarlierRun: true)
            }
        }
    }

    /// Records a write of a running task to its cursor, and stores the cursor. A write counts until the end of the
    /// process is judged, also after a kill: it was in the memory of the launch before.
    mutating func cursorWritten(
        _ number: LaunchNumber,
        _ id: TaskID,
        _ write: CursorWrite,
        reply: ReplyToken?,
        at now: Moment
    ) {
        guard let execution = launches.find(number)?.execution, let index = execution.index(of: id),
            execution.tasks[index].outcome == nil, let identifier = execution.tasks[index].work.cursorIdentifier
        else {
            if let reply { emit(.answer(reply, .refused(Self.cursorOfEndedTask))) }
            return
        }
        let submission = execution.tasks[index].work.number
        if launches.find(number)?.record.mayStoreCursor(of: identifier, submission) == false {
            if let reply { emit(.answer(reply, .refused(Self.cursorOfOlderTask))) }
            return
        }
        let stallsAt = now.monotonic + stallLimit(of: execution.tasks[index])
        let hasMoved = launches.execute(number) { execution -> Bool in
            execution.tasks[index].wrote(write)
            // A moved cursor is progress.
            if write == .moved, execution.tasks[index].stallsAt != nil { execution.moved(index, stallsAt: stallsAt) }
            return execution.tasks[index].hasMovedCursor
        }
        if execution.tasks[index].reportsProgress { toEnforceAnew.insert(number) }
        let change = CursorChange(
            plugin: execution.plan.plugin.identifier,
            identifier: identifier,
            launch: number,
            task: id,
            submission: submission,
            version: execution.plan.plugin.version,
            at: now.wall,
            isMovement: hasMoved == true
        )
        launches.update(number) { $0.record.store(change, reply: reply) }
        flush(number)
    }

    private static let cursorOfEndedTask = SubmissionRefusal(
        code: .unavailable,
        subReason: .notRecorded,
        message: "checkpoint: the host has recorded the end of the task, and stores no cursor of it"
    )

    private static let cursorOfOlderTask = SubmissionRefusal(
        code: .unavailable,
        subReason: .notRecorded,
        message: "checkpoint: a newer request of the identifier runs, and only its task moves the cursor now; complete"
            + " this task"
    )

    /// Gives the cursor of the identifier to a task that has started: older tasks of the identifier, which may still
    /// run, no longer write it. Their loops over items then end, instead of doing the items of the newer task as well.
    mutating func takeCursor(for work: PendingWork) {
        guard let identifier = work.cursorIdentifier else { return }
        for number in launches.numbers(of: work.plugin) {
            let dropped = launches.update(number) { $0.record.yieldCursor(of: identifier, to: work.number) }
            for reply in dropped ?? [] { emit(.answer(reply, .refused(Self.cursorOfOlderTask))) }
            guard let execution = launches.find(number)?.execution, execution.isListening else { continue }
            let older = execution.tasks.filter {
                $0.outcome == nil && $0.work.cursorIdentifier == identifier && $0.work.number < work.number
            }
            for task in older { emit(.yieldCursor(number, task.id)) }
        }
    }

    /// Records the number of runs in a row that did not move the cursor of a task, in the commit of the task's end.
    /// Does nothing when the number is nil.
    mutating func noteStandstills(_ count: Int?, of work: PendingWork, in number: LaunchNumber) {
        guard let count, let identifier = work.cursorIdentifier else { return }
        let step = LaunchRecording.Step(changes: [.setStandstills(work.plugin, identifier, count, of: work.number)])
        launches.update(number) { $0.record.waiting.append(step) }
    }

    // MARK: Deletion by users

    /// Deletes the cursor of a task, unless a launch may still write it.
    mutating func clearCursor(
        of identifier: TaskIdentifier,
        _ plugin: PluginIdentifier,
        reply: ReplyToken,
        at now: Moment
    ) {
        if isStopping {
            let message = "the host is stopping; delete the cursor after its restart"
            return emit(.answer(reply, .cursorNotCleared(message: message)))
        }
        if let launch = launches.values.first(where: { $0.plugin == plugin && $0.mayWriteCursor(of: identifier) }) {
            let message =
                "launch \(launch.number) runs \(identifier) and may write its cursor again; delete the cursor when the"
                + " launch has ended, or end it with `bgtask task stop \(identifier)`"
            return emit(.answer(reply, .cursorNotCleared(message: message)))
        }
        let entry = JournalEntry(
            at: now.wall,
            event: .cursorCleared,
            plugin: plugin,
            label: identifier.text,
            blame: .nobody,
            message: "the next run of \(identifier) begins from the start"
        )
        stage(.cursorClearing(reply), [.dropCursor(plugin, identifier), .journal(entry)])
    }
}

extension ScheduledLaunch {
    /// Whether the launch runs or will run the identifier, or has not recorded its end yet.
    fileprivate func mayWriteCursor(of identifier: TaskIdentifier) -> Bool {
        tasks.contains { $0.outcome == nil && $0.work.identifier == identifier }
            || execution?.arriving.contains { $0.work.identifier == identifier } == true
            || record.unrecorded.contains { $0.work.identifier == identifier }
    }
}

extension TaskOutcome {
    /// The outcome of a run whose task is not requeued although it could continue.
    var endingRun: TaskOutcome { self == .continues ? .interrupted : self }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The end of a launch's process, and the effect on its tasks.
extension Scheduler {
    mutating func conclude(_ number: LaunchNumber, _ end: ProcessEnd, at now: Moment) {
        guard let launch = launches.find(number) else { return }
        switch launch.phase {
        case .preparing(let preparation) where preparation.runner != nil:
            launches.update(number) { $0.withPreparation { $0.runner?.end = end } }
        case .preparing:
            let message = "the runner \(end.termination.text) before the launch began; see the host's log"
            return giveUp(number, because: message, at: now)
        case .starting(var start):
            start.end = end
            launches.update(number) { [start] in $0.phase = .starting(start) }
        case .ended: return
        case .running(let execution), .stopping(let execution, _):
            if execution.undecided > 0 {
                launches.execute(number) { $0.end = end }
                toEnforceAnew.insert(number)
                return
            }
            conclude(launch, execution, end, at: now)
        }
    }

    /// Judges a launch whose process has ended, as soon as no commit about its tasks is in flight. Until then it does
    /// nothing.
    mutating func concludeIfDecided(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.find(number), let execution = launch.execution, execution.undecided == 0,
            let end = execution.end
        else { return }
        conclude(launch, execution, end, at: now)
    }

    private mutating func conclude(_ launch: ScheduledLaunch, _ execution: Execution, _ end: ProcessEnd, at now: Moment)
    {
        let number = launch.number
        let aftermath = Aftermath(
            of: execution,
            termination: end.termination,
            lastWords: end.lastWords,
            configuration: configuration,
            now: now
        )
        for judgement in aftermath.tasks { apply(judgement, to: number, at: now) }
        let used = execution.plan.budget.used(at: now.monotonic)
        recordEnd(of: launch, execution, aftermath, used: used, at: now)
        if aftermath.blame != .host {
            endRunnerRetry(of: launch.plugin)
        } else if !isStopping {
            delayLaunches(of: launch.plugin, because: aftermath.message, at: now)
        }
        launches.update(number) { $0.phase = .ended }
        forgetOrigins(of: number, launch.plugin)
        endWork(of: launch.plugin, in: launch.lane)
        remember(launch, execution, as: aftermath.outcome, used: used, at: now)
        if launch.lane == .transfer || !execution.plan.files.isEmpty { emit(.sweepTransfers(launch.plugin)) }
        if launch.lane == .background { rest(launch.plugin, at: now) }
        toEnforceAnew.insert(number)
        releaseIfRecorded(number, at: now)
    }

    /// Removes the launch as the origin of continued requests: these requests can no longer join it.
    private mutating func forgetOrigins(of number: LaunchNumber, _ plugin: PluginIdentifier) {
        if plugins[plugin].origins.isEmpty { return }
        plugins[plugin].origins = plugins[plugin].origins.filter { $0.value != number }
        backlog.add(.consider(plugin, .continued))
    }

    /// Adds the use of an ended launch to the plugin's record, which policies evaluate.
    private mutating func remember(
        _ launch: ScheduledLaunch,
        _ execution: Execution,
        as outcome: LaunchOutcome,
        used: Duration,
        at now: Moment
    ) {
        let past = PastLaunch(
            plugin: launch.plugin,
            // The last lane, as in the ledger: a launch that became continued does not count against the day budget.
            lane: launch.lane,
            cause: execution.plan.cause,
            outcome: outcome,
            endedAt: now.wall,
            used: used,
            ownKinds: execution.tasks.map(\.work).ownKinds,
            usedBudget: execution.plan.budget.total.map { used >= $0 } ?? false
        )
        plugins[launch.plugin].record.note(past)
    }

    /// Begins the cooldown after a background launch.
    mutating func rest(_ plugin: PluginIdentifier, at now: Moment) {
        let spacing = standing(of: plugin, in: .background).spacing(configuration)
        plugins[plugin].cooldownEnd = now.monotonic + spacing
    }

    private mutating func recordEnd(
        of launch: ScheduledLaunch,
        _ execution: Execution,
        _ aftermath: Aftermath,
        used: Duration,
        at now: Moment
    ) {
        let end = LaunchEnd(
            outcome: aftermath.outcome,
            at: now.wall,
            used: used,
            blame: aftermath.blame,
            message: aftermath.message
        )
        let entry = JournalEntry(
            at: now.wall,
            event: .launch(aftermath.outcome),
            plugin: launch.plugin,
            launch: launch.number,
            blame: aftermath.blame,
            message: "\(aftermath.message); used \(used.humanReadable) of \(execution.plan.budget.words)"
        )
        let summaries = summaries(ofLinesOmittedFor: launch, at: now).map { LedgerChange.journal($0) }
        record(summaries + [.endLaunch(launch.number, end), .journal(entry)], of: launch.number)
    }

    // MARK: Tasks

    private mutating func apply(_ judgement: Aftermath.Judgement, to number: LaunchNumber, at now: Moment) {
        guard let task = launches.find(number)?.execution?.tasks[judgement.index] else { return }
        if task.work.kind == .transfer { return cutOff(number, judgement, at: now) }
        let blame = judgement.blame
        switch judgement.verdict {
        case .consumed(let outcome):
            noteStandstills(judgement.standstills, of: task.work, in: number)
            let message = judgement.message
            end(number, judgement.index, as: outcome, blame: blame, message: message, isConsumed: true, at: now)
        case .abandoned:
            noteStandstills(judgement.standstills, of: task.work, in: number)
            end(number, judgement.index, as: .abandoned, blame: blame, message: judgement.message, at: now)
        case .returned(let outcome, _) where task.work.isAlert:
            // The original is shown instead of another attempt.
            let message = "\(judgement.message); the notification is shown with its original content"
            end(
                number,
                judgement.index,
                as: outcome.endingRun,
                blame: blame,
                message: message,
                isConsumed: true,
                at: now
            )
        case .returned(let continued, _) where task.wasCancelled:
            let outcome = continued.endingRun
            let message = "\(judgement.message); the request was cancelled or stopped and is not requeued"
            end(number, judgement.index, as: outcome, blame: blame, message: message, wasCancelled: true, at: now)
        case .returned(let outcome, let retry):
            if let newer = task.successor {
                noteStandstills(judgement.standstills, of: task.work, in: number)
                let (outcome, message) = (outcome.endingRun, judgement.message)
                end(number, judgement.index, as: outcome, blame: blame, message: message, supersededBy: newer, at: now)
            } else {
                requeue(number, judgement, outcome, retry, at: now)
            }
        }
    }

    /// Requeues the task once its outcome is on disk, unless a newer request is pending by then.
    mutating func requeue(
        _ number: LaunchNumber,
        _ judgement: Aftermath.Judgement,
        _ outcome: TaskOutcome,
        _ retry: Retry,
        at now: Moment
    ) {
        guard var work = launches.find(number)?.execution?.tasks[judgement.index].work else { return }
        let isSetBack = retry.setbacks > work.retry.setbacks
        work.retry = retry
        launches.execute(number) { $0.tasks[judgement.index].outcome = outcome }
        noteStandstills(judgement.standstills, of: work, in: number)
        let entry = JournalEntry(
            work,
            .task(outcome),
            launch: number,
            at: now,
            blame: judgement.blame,
            message: judgement.message + judgement.delay
        )
        var changes: [LedgerChange] = [.journal(entry), .requeueTask(number, work, at: now.wall)]
        let warning = JournalEntry.setbacks(of: work, launch: number, blame: judgement.blame, at: now.wall)
        if isSetBack, let warning { changes.append(.journal(warning)) }
        record(changes, ending: work, returns: true, of: number)
    }

    /// Records the end of a task. Only the first end of a task counts.
    ///
    /// - Parameters:
    ///   - newer: the newer request that supersedes the interrupted task; nil without one.
    ///   - wasCancelled: whether the interrupted task is not requeued because it was cancelled.
    ///   - isConsumed: whether the request is used up although the plugin did not complete the task. An outcome that is
    ///     not final then gets a journal entry `consumed`.
    mutating func end(
        _ number: LaunchNumber,
        _ index: Int,
        as outcome: TaskOutcome,
        blame: Blame,
        message: String,
        supersededBy newer: SubmissionNumber? = nil,
        wasCancelled: Bool = false,
        isConsumed: Bool = false,
        ends: TransferEnds = TransferEnds(),
        at now: Moment
    ) {
        guard let task = launches.find(number)?.execution?.tasks[index], task.outcome == nil else { return }
        launches.execute(number) { $0.tasks[index].outcome = outcome }
        let isLeaseLost = task.expiration?.reason == .leaseLost
        func journal(_ entry: JournalEntry) -> LedgerChange {
            var entry = entry
            entry.isLeaseLost = isLeaseLost
            return .journal(entry)
        }
        let entry = JournalEntry(
            task.work,
            .task(outcome),
            launch: number,
            at: now,
            blame: blame,
            message: message
        )
        var changes: [LedgerChange] = [.endTask(number, task.work.number), journal(entry)]
        if wasCancelled {
            let user = task.cancelledBy
            changes.append(journal(.cancelledWhileRunning(task.work, launch: number, by: user, at: now)))
        }
        // A task that succeeds has done all its work: its next request begins from the start.
        // Also for a task without a known cursor: the ledger may have one that is still being reported.
        if outcome == .succeeded || outcome == .noData, let identifier = task.work.cursorIdentifier {
            changes.append(.dropCursor(task.work.plugin, identifier, of: task.work.number))
        }
        if isConsumed, !outcome.isFinal {
            changes.append(journal(.consumed(task.work, by: outcome, launch: number, blame: blame, at: now)))
        }
        changes += showing(task, endedAs: outcome, at: now)
        if let newer { changes.append(.journal(.superseded(task.work, by: newer, launch: number, at: now.wall))) }
        let isHandled = outcome == .succeeded || outcome == .noData
        if task.work.isSessionEvent, isHandled { changes += droppingHandled(task.work) }
        changes += takingFiles(of: task.work)
        record(changes, ending: task.work, returns: false, ends: ends, of: number)
    }

    /// Kills a launch after a failure outside of the plugin. No attempt is charged, and the tasks of the launch are
    /// requeued. A launch that is being committed is killed after the commit, in place of sending its plan.
    mutating func launchFailedByHost(_ number: LaunchNumber, because message: String) {
        switch launches.find(number)?.phase {
        case .preparing:
            launches.update(number) { $0.withPreparation { $0.runner?.noteFailure(message) } }
        case .starting(var start):
            start.failure = start.failure ?? message
            launches.update(number) { [start] in $0.phase = .starting(start) }
        case .running, .stopping, .ended, nil:
            if launches.listening(number) != nil { kill(number, because: .hostFailed(message)) }
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What a running launch says, judged by the manifest that it was committed with.
extension Scheduler {
    mutating func hear(_ event: SchedulerEvent, at now: Moment) {
        switch event {
        case .entered(let number, let status, let registered, let offersReceive):
            entered(number, status: status, registered: registered, offersReceive: offersReceive, at: now)
        case .loadFailed(let number, let message):
            guard isListening(to: number), launches[number]?.entry == .running else { return }
            launches[number]?.entry = .notLoaded(message: message)
            endEntry(number)
        case .registered(let number, let identifier): registered(identifier, by: number, at: now)
        case .progressed(let number, let id, let progress): progressed(number, id, progress, at: now)
        case .fetchIntervalSet(let number, let interval): setFetchInterval(of: number, to: interval, at: now)
        case .completed(let number, let id, let outcome): completed(number, id, outcome, at: now)
        case .returned(let number, let id, let outcome, let text): completed(number, id, outcome, saying: text, at: now)
        case .expirationHandlerChanged(let number, let id, let isSet):
            guard isListening(to: number), let index = launches[number]?.index(of: id) else { return }
            launches[number]?.tasks[index].hasExpirationHandler = isSet
        case .runnerExpired(let number, let ids, let reason): runnerExpired(number, ids, reason, at: now)
        case .assertionBegan(let number, let id, let name): assertionBegan(number, id, named: name, at: now)
        case .assertionEnded(let number, let id): assertionEnded(number, id, at: now)
        case .violated(let number, let rule, let message): note(number, rule: rule, message: message, at: now)
        default: break
        }
    }

    /// After the kill nothing counts (BGT-ABI-09), and before its plan a runner has nothing to say.
    func isListening(to number: LaunchNumber) -> Bool {
        guard let launch = launches[number] else { return false }
        return launch.phase == .running && launch.killReason == nil && launch.endedUndecided == nil
    }

    private mutating func completed(
        _ number: LaunchNumber,
        _ id: TaskID,
        _ outcome: CompletionOutcome,
        saying text: String? = nil,
        at now: Moment
    ) {
        guard isListening(to: number), let launch = launches[number] else { return }
        guard let index = launch.index(of: id) else {
            return note(
                number,
                rule: "BGT-ABI-08",
                at: now,
                message: "\(launch.plugin) completed task \(id), which is not part of launch \(number);"
                    + " complete the tasks that its handlers are given"
            )
        }
        let task = launch.tasks[index]
        guard task.outcome == nil else {
            return note(
                number,
                rule: "BGT-ABI-09",
                at: now,
                message: "\(launch.plugin) completed \(task.work.label) again;"
                    + " the first call counts, complete each task once"
            )
        }
        end(
            number,
            index,
            as: outcome.taskOutcome,
            blame: outcome == .failure ? task.expiration?.reason.blame ?? .plugin : .nobody,
            at: now,
            message: completionMessage(task, outcome, of: launch, at: now) + (text.map { ": \($0)" } ?? "")
        )
        expireAssertionsWithTheRest(of: number)
        finishIfDone(number, at: now)
    }

    private func completionMessage(
        _ task: LaunchState.Task,
        _ outcome: CompletionOutcome,
        of launch: LaunchState,
        at now: Moment
    ) -> String {
        let said =
            switch outcome {
            case .success: "completed"
            case .failure: "completed as failed"
            case .noData: "completed without new data"
            }
        let used = launch.plan?.budget.used(at: now.monotonic) ?? .zero
        let time = " after \(used.humanReadable)" + (launch.plan?.budget.total.map { " of \($0.humanReadable)" } ?? "")
        return task.expiration.map { "\(said)\(time), having been told to stop: \($0.reason.name)" } ?? said + time
    }

    /// Records how a task ended. The first ending counts.
    mutating func end(
        _ number: LaunchNumber,
        _ index: Int,
        as outcome: TaskOutcome,
        blame: Blame,
        at now: Moment,
        message: String
    ) {
        guard let task = launches[number]?.tasks[index], task.outcome == nil else { return }
        launches[number]?.tasks[index].outcome = outcome
        let entry = JournalEntry(
            task.work,
            .task(outcome),
            launch: number,
            at: now,
            blame: blame,
            message: message
        )
        record([.endTask(number, task.work.number), .journal(entry)], of: number)
    }

    /// Every task over and no assertion open: the plugin may stop, and is ended if it lingers (statement 53).
    mutating func finishIfDone(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], launch.phase == .running, launch.entry == .returned,
            launch.killReason == nil, launch.unfinished.isEmpty, launch.arriving.isEmpty
        else { return }
        guard launch.assertions.isEmpty else { return boundAssertions(of: number, at: now) }
        // The runner bounds the plugin's stop by the grace itself; the extra second is for its own leaving.
        let grace = launch.plan?.budget.grace ?? configuration.grace
        launches[number]?.phase = .finishing(by: now.monotonic + grace + .seconds(1))
        emit(.finish(number))
        setAlarm(of: number)
    }

    /// Where no deadline is left, what outlasts the last task gets as long as a stall does.
    private mutating func boundAssertions(of number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], launch.assertionDeadline == nil else { return }
        // While continued tasks ran, the deadline bound nobody and woke nobody.
        if let deadline = launch.plan?.budget.deadline, deadline > now.monotonic { return setAlarm(of: number) }
        if launch.assertions.expiration == nil { launches[number]?.hasOutlivedBudget = true }
        launches[number]?.assertionDeadline = now.monotonic + configuration.stallLimit
        setAlarm(of: number)
    }

    /// Journals a broken rule; a plugin that breaks one in a loop does not fill the disk.
    mutating func note(_ number: LaunchNumber, rule: String, at now: Moment, message: String) {
        note(number, rule: rule, message: message, at: now)
    }

    private mutating func note(_ number: LaunchNumber, rule: String, message: String, at now: Moment) {
        guard let launch = launches[number], launch.phase != .preparing, launch.phase != .starting else { return }
        launches[number]?.violations += 1
        guard launch.violations < Self.journaledViolations else { return }
        let isLast = launch.violations + 1 == Self.journaledViolations
        let entry = JournalEntry(
            at: now.wall,
            event: .violation,
            plugin: launch.plugin,
            launch: number,
            blame: .plugin,
            message: "\(rule): \(message)" + (isLast ? "; further violations of this launch are not journaled" : "")
        )
        record([.journal(entry)], of: number)
    }

    /// Violations of one launch that the journal takes.
    private static let journaledViolations = 20
}

extension JournalEntry {
    /// What became of a task.
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
            message: message
        )
    }
}

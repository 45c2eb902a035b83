// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Messages of a launch's runner, judged by the manifest with which the launch was committed.
extension Scheduler {
    mutating func loadFailed(_ number: LaunchNumber, because message: String) {
        guard launches.listening(number)?.entry.isRunning == true else { return }
        launches.execute(number) { $0.entry = .notLoaded(message: message) }
        kill(number, because: .entryFailed)
    }

    mutating func setExpirationHandler(of number: LaunchNumber, _ id: TaskID, _ isSet: Bool) {
        guard let index = launches.listening(number)?.index(of: id) else { return }
        launches.execute(number) { $0.tasks[index].hasExpirationHandler = isSet }
    }

    mutating func completed(
        _ number: LaunchNumber,
        _ id: TaskID,
        _ outcome: CompletionOutcome,
        saying text: String?,
        at now: Moment
    ) {
        guard let execution = launches.listening(number) else { return }
        let plugin = execution.plan.plugin.identifier
        guard let index = execution.index(of: id) else {
            let message = "\(plugin) completed task \(id), which is not part of launch \(number); \(Self.isIgnored)"
            return noteForged(number, rule: .numbers, message: message, at: now)
        }
        let task = execution.tasks[index]
        guard task.outcome == nil else {
            let message = "\(plugin) completed \(task.work.label) again; only the first completion counts"
            return noteForged(number, rule: .oneCompletion, message: message, at: now)
        }
        if task.work.kind == .transfer {
            endTry(number, index, at: now)
            stopIfDone(number, at: now)
            return
        }
        let message = completionMessage(task, outcome, of: execution, at: now) + (text.map { ": \($0)" } ?? "")
        if outcome == .failure {
            fail(number, index, blame: task.expiration?.reason.blame ?? .plugin, message: message, at: now)
        } else {
            end(number, index, as: outcome.taskOutcome, blame: .nobody, message: message, at: now)
        }
        expireAssertionsWithTheRest(of: number)
        stopIfDone(number, at: now)
        toEnforceAnew.insert(number)
    }

    private func completionMessage(
        _ task: Execution.Task,
        _ outcome: CompletionOutcome,
        of execution: Execution,
        at now: Moment
    ) -> String {
        let completion =
            switch outcome {
            case .success: "completed"
            case .failure: "completed as failed"
            case .noData: "completed without new data"
            }
        let budget = execution.plan.budget
        let used = budget.used(at: now.monotonic)
        let time = " after \(used.humanReadable)" + (budget.total.map { " of \($0.humanReadable)" } ?? "")
        let expiration = task.expirationName.map { "; expired: \($0)" } ?? ""
        return completion + time + expiration
    }

    /// Stops a launch that has neither an unfinished task nor an open assertion: the launch frees its capacity, and the
    /// stop function of the plugin runs. The process is killed if it has not exited after the grace period and the exit
    /// time (statement 53).
    mutating func stopIfDone(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.find(number), case .running(let execution) = launch.phase,
            execution.isListening, execution.entry == .returned, execution.unfinished.isEmpty,
            execution.arriving.isEmpty
        else { return }
        guard execution.assertions.isEmpty else { return boundAssertions(of: number, execution, at: now) }
        // The runner itself limits the plugin's stop to the grace period.
        let killTime = execution.plan.budget.killTime(after: now.monotonic) + LaunchBudget.exitTime
        launches.update(number) { $0.phase = .stopping(execution, killTime: killTime) }
        launches.setStopping(number)
        inFlight.forgetJoins(of: number)
        emit(.stop(number))
        toEnforceAnew.insert(number)
        // The plugin's own lane stays occupied until the end of the process is recorded.
        fillCapacity(of: launch.lane, at: now)
    }

    /// Sets the stall limit as the time limit of the assertions that outlast the last task, if the budget of the launch
    /// has no deadline or the deadline has passed.
    private mutating func boundAssertions(of number: LaunchNumber, _ execution: Execution, at now: Moment) {
        toEnforceAnew.insert(number)
        if execution.assertionDeadline != nil { return }
        // While continued tasks ran, the deadline of the budget did not apply and had no alarm.
        if let deadline = execution.plan.budget.deadline, deadline > now.monotonic { return }
        let deadline = now.monotonic + configuration.stallLimit
        launches.execute(number) { execution in
            if execution.assertions.expiration == nil { execution.hasOutlivedBudget = true }
            execution.assertionDeadline = deadline
        }
    }

    /// Journals a refused system call.
    mutating func noteDenial(_ number: LaunchNumber, message: String, at now: Moment) {
        guard let launch = launches.find(number), launch.execution != nil else { return }
        let entry = JournalEntry(
            at: now.wall,
            event: .denied,
            plugin: launch.plugin,
            launch: number,
            blame: .plugin,
            message: message
        )
        record([.journal(entry)], of: number)
    }

    /// A phrase for journal entries about a forged message of the runner: the message has no effect.
    static let isIgnored = "the host ignored this message"

    /// Journals a violation by a message that the runner itself never sends, because the runner checks the plugin's
    /// call first.
    mutating func noteForged(_ number: LaunchNumber, rule: ABIRule?, message: String, at now: Moment) {
        let cause = "the runner sends no such message, so the plugin wrote to the runner's socket"
        let remedy = "do not touch descriptors that the plugin did not open"
        note(number, rule: rule, message: "\(message); \(cause); \(remedy)", at: now)
    }

    /// Journals a violation. The number per launch is limited, so that a plugin in a loop cannot fill the disk.
    ///
    /// - Parameter rule: the violated rule of the ABI; nil when the message alone states the violation.
    mutating func note(_ number: LaunchNumber, rule: ABIRule?, message: String, at now: Moment) {
        guard let launch = launches.find(number), launch.execution != nil else { return }
        let count = launches.execute(number) { execution in
            execution.violations += 1
            return execution.violations
        }
        guard let count, count <= ViolationLimit.journaled else { return }
        let isLast = count == ViolationLimit.journaled
        let entry = JournalEntry(
            at: now.wall,
            event: .violation,
            plugin: launch.plugin,
            launch: number,
            blame: .plugin,
            message: (rule.map { "\($0.rawValue): " } ?? "") + message
                + (isLast ? "; further violations of this launch are not journaled" : "")
        )
        record([.journal(entry)], of: number)
    }
}

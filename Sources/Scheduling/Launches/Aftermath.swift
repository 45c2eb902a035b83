// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The outcome of an ended launch, and the outcome of each of its tasks that had none when the process ended (C3, C7).
/// A pure decision.
struct Aftermath: Sendable {
    enum Verdict: Hashable, Sendable {
        /// The task ends, and its request is used up.
        case consumed(TaskOutcome)
        /// The task may be requeued, with its new retry state. A task that was cancelled, or that a newer request
        /// supersedes, ends with the outcome instead.
        case returned(TaskOutcome, Retry)
        /// The task has reached the maximum number of charged attempts, and ends instead of being requeued.
        case abandoned
    }

    struct Judgement: Sendable {
        let index: Int
        let verdict: Verdict
        let blame: Blame
        let message: String
        /// The end of the message when the task is requeued: its retry delay. Empty without a delay.
        var delay = ""
        /// The new number of runs in a row that did not move the task's cursor; nil when it does not change.
        var standstills: Int?
    }

    let outcome: LaunchOutcome
    let blame: Blame
    let message: String
    let tasks: [Judgement]

    init(
        of launch: Execution,
        termination: ProcessTermination,
        lastWords: LastWords?,
        configuration: SchedulingConfiguration,
        now: Moment
    ) {
        let cause = Cause(of: launch, termination: termination, lastWords: lastWords)
        outcome = cause.outcome(of: launch)
        // The code that ran in a launch of the transfer library is not the plugin's.
        let isTransfer = launch.plan.lane == .transfer
        blame = isTransfer && cause.blame == .plugin ? .machine : cause.blame
        message = cause.message(of: launch)
        let charged = cause.charged(in: launch)
        tasks = launch.unfinished.map { index in
            Self.judge(
                index,
                of: launch,
                cause: cause,
                isCharged: charged.contains(index),
                configuration: configuration,
                now: now
            )
        }
    }

    private static func judge(
        _ index: Int,
        of launch: Execution,
        cause: Cause,
        isCharged: Bool,
        configuration: SchedulingConfiguration,
        now: Moment
    ) -> Judgement {
        let task = launch.tasks[index]
        if task.work.kind == .transfer {
            // `TransferVerdict` decides; a charged task counts a crash of the transfer library.
            let outcome = isCharged ? cause.taskOutcome : .interrupted
            return Judgement(
                index: index,
                verdict: .returned(outcome, task.work.retry),
                blame: .machine,
                message: cause.text
            )
        }
        if let expiration = task.expiration, expiration.reason != .hostShutdown {
            let isResumable = task.cursor != nil && expiration.reason != .stoppedByUser
            if !isResumable { return afterExpiration(index, of: launch, cause: cause, reason: expiration.reason) }
            let isFault = cause == .killed && hasOverstayed(expiration.killTime, launch, at: now)
            return resuming(index, of: launch, cause: cause, isFault: isFault, configuration, now)
        }
        if task.isToStop {
            return Judgement(
                index: index,
                verdict: .consumed(cause.taskOutcome),
                blame: cause.blame,
                message: "stopped by a user during entry, then \(cause.text); not requeued"
            )
        }
        if task.hasMovedCursor {
            // The way in which the process ended proves nothing while the host stops.
            let isFault = isCharged && task.expiration == nil
            return resuming(index, of: launch, cause: cause, isFault: isFault, configuration, now)
        }
        var retry = task.work.retry
        retry.wasInterrupted = true
        if task.expiration?.reason == .hostShutdown {
            // A service manager signals all processes of the host together, so the way this process ended proves
            // nothing.
            return Judgement(
                index: index,
                verdict: .returned(.interrupted, retry),
                blame: .host,
                message: "interrupted, no attempt charged: the host stopped"
            )
        }
        retry.runsAlone = retry.runsAlone || cause.makesTasksRunAlone
        guard isCharged else {
            return Judgement(
                index: index,
                verdict: .returned(.interrupted, retry),
                blame: cause.blame,
                message: "interrupted, no attempt charged: \(cause.text)"
            )
        }
        retry.attempts += 1
        if retry.attempts >= configuration.attempts {
            return Judgement(
                index: index,
                verdict: .abandoned,
                blame: cause.blame,
                message: "abandoned after \(retry.attempts == 1 ? "1 attempt" : "\(retry.attempts) attempts");"
                    + " at the last attempt, \(cause.text)" + remedy(for: task.work, after: cause),
                standstills: task.cursor.map { _ in 0 }
            )
        }
        let standstills = launch.entry == .returned ? task.standstills(isFault: true) : nil
        if let standstills, standstills >= Execution.Task.mostStandstills {
            return withoutMovement(task, index, blame: cause.blame, after: cause.text)
        }
        let delay = configuration.retryDelay(after: retry.attempts)
        retry.notBefore = now.wall + delay
        return Judgement(
            index: index,
            verdict: .returned(cause.taskOutcome, retry),
            blame: cause.blame,
            message:
                "\(cause.text); attempt \(retry.attempts) of \(configuration.attempts) failed",
            delay: "; the task may run again in \(delay.humanReadable)",
            standstills: standstills
        )
    }

    /// Whether an expired task of a killed launch had its whole grace period. A task is not to blame for the kill when
    /// another task of the launch overran before.
    private static func hasOverstayed(_ killTime: MonotonicTime, _ launch: Execution, at now: Moment) -> Bool {
        launch.kill != .overran || killTime <= now.monotonic
    }

    /// The judgement of a task that has a cursor, and whose run ended early: it continues at its cursor without a
    /// charged attempt, unless its runs do not move the cursor.
    ///
    /// - Parameter isFault: whether the task caused the end of the run.
    private static func resuming(
        _ index: Int,
        of launch: Execution,
        cause: Cause,
        isFault: Bool,
        _ configuration: SchedulingConfiguration,
        _ now: Moment
    ) -> Judgement {
        let task = launch.tasks[index]
        let text: String
        let blame: Blame
        if let expiration = task.expiration {
            let prefix = "expired (\(task.expirationName ?? expiration.reason.name))"
            text = cause == .killed ? launch.overstay(of: index, after: prefix) : "\(prefix), then \(cause.text)"
            blame = expiration.reason == .hostShutdown ? .host : cause.blame
        } else {
            (text, blame) = ("interrupted: \(cause.text)", cause.blame)
        }
        let standstills = task.standstills(isFault: isFault)
        if let standstills, standstills >= Execution.Task.mostStandstills {
            return withoutMovement(task, index, blame: blame, after: text)
        }
        var (retry, delay) = task.continuation(isDelayed: isFault, configuration, at: now.wall)
        if task.expiration == nil { retry.runsAlone = retry.runsAlone || cause.makesTasksRunAlone }
        return Judgement(
            index: index,
            verdict: .returned(.continues, retry),
            blame: blame,
            message: text + task.continues(after: standstills),
            delay: delay.map { "; it may run again in \($0.humanReadable)" } ?? "",
            standstills: standstills
        )
    }

    /// The judgement of a task whose last runs did not move its cursor. The count starts again with the next request.
    private static func withoutMovement(
        _ task: Execution.Task,
        _ index: Int,
        blame: Blame,
        after text: String
    ) -> Judgement {
        Judgement(
            index: index,
            verdict: .consumed(.noProgress),
            blame: blame,
            message: task.noProgress(after: text),
            standstills: 0
        )
    }

    /// The judgement of a task that was expired for any reason except a stop of the host. Its request is used up,
    /// whatever the process did after the expiration.
    private static func afterExpiration(
        _ index: Int,
        of launch: Execution,
        cause: Cause,
        reason: ExpirationReason
    ) -> Judgement {
        let task = launch.tasks[index]
        let prefix = "expired (\(task.expirationName ?? reason.name))"
        if case .killed = cause {
            let outcome: TaskOutcome = task.hasExpirationHandler ? .overran : .expired
            let text = launch.overstay(of: index, after: prefix)
            return Judgement(index: index, verdict: .consumed(outcome), blame: .plugin, message: text)
        }
        return Judgement(
            index: index,
            verdict: .consumed(cause.taskOutcome),
            blame: cause.blame,
            message: "\(prefix), then \(cause.text); not requeued" + remedy(for: task.work, after: cause)
        )
    }

    /// The end of the message about work that ended without a completion: the actions for the user, behind a semicolon.
    /// Empty when there is none.
    private static func remedy(for work: PendingWork, after cause: Cause) -> String {
        let mend = cause.blame == .plugin ? "fix and reinstall the plugin" : nil
        let actions = [mend, work.repetition].compactMap(\.self)
        return actions.isEmpty ? "" : "; " + actions.joined(separator: ", then ")
    }
}

extension PendingWork {
    /// The action by which a user gets the work done after it has ended, as text for a message: another submission or
    /// trigger. Nil for events that no user can repeat.
    var repetition: String? {
        switch self {
        case .request: "submit again"
        case .event(let event) where event.type == .trigger: "trigger it again"
        case .event: nil
        }
    }
}

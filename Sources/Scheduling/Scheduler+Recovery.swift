// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Recovery of launches that the last host left running: their processes have ended, and their tasks are requeued.
extension Scheduler {
    /// Number of host losses (the host or the machine went down while the task ran) after which the task runs in a
    /// launch by itself and with a delay, because the task may be the cause. After `lossesBeforeAbandoned` losses it is
    /// abandoned.
    private static let lossesBeforeAlone = 2
    private static let lossesBeforeAbandoned = 5

    /// Recovers a launch during which the host or the machine went down. No attempt is charged. An unfinished task is
    /// requeued, unless it was cancelled or stopped, a newer submission supersedes it, or it has had too many host
    /// losses (C3).
    mutating func restore(
        _ running: LedgerSnapshot.UnfinishedLaunch,
        newest: [TaskIdentifier: SubmissionNumber],
        at now: Moment
    ) {
        var launch = ScheduledLaunch(number: running.number, plugin: running.plugin, lane: running.lane)
        launch.phase = .ended
        for work in running.unfinished {
            let change = inFlight.nextChange()
            let judgement = judge(work, in: running, newest: newest, at: now)
            let entry = JournalEntry(
                work,
                .task(judgement.outcome),
                launch: running.number,
                at: now,
                blame: judgement.blame,
                message: judgement.message
            )
            var changes: [LedgerChange] = [.journal(entry)]
            if let returning = judgement.returning {
                changes.append(.requeueTask(running.number, returning, at: now.wall))
                let (number, blame) = (running.number, Blame.unknown)
                let warning = JournalEntry.setbacks(of: returning, launch: number, blame: blame, at: now.wall)
                // The setbacks of a transfer are a row of relaunches.
                let isSetBack = judgement.outcome == .continues && work.kind != .transfer
                if isSetBack, let warning { changes.append(.journal(warning)) }
            } else {
                changes.append(.endTask(running.number, work.number))
            }
            if running.mayNotBeRequeued.contains(work.number) {
                changes.append(.journal(.cancelledWhileRunning(work, launch: running.number, at: now)))
            }
            if let newer = judgement.successor {
                changes.append(.journal(.superseded(work, by: newer, launch: running.number, at: now.wall)))
            }
            var ends = TransferEnds()
            if judgement.returning == nil, case .request(let request) = work {
                ends = endTransfers(among: [request], as: .cancelled, at: now)
            }
            let task = LaunchRecording.TaskEnd(
                work: judgement.returning ?? work,
                change: change,
                returns: judgement.returning != nil
            )
            let step = LaunchRecording.Step(changes: changes + ends.changes, task: task, ends: ends)
            launch.record.waiting.append(step)
            beginEnd(of: task, plugin: running.plugin)
        }
        launch.record.waiting.append(LaunchRecording.Step(changes: lost(running, at: now)))
        launches.add(launch)
        let kinds = Set(launch.record.returning.map(\.kind))
        if !kinds.isEmpty { loading.beginRecovery(of: running.number, running.plugin, requeueing: kinds) }
        if running.lane != .continued { plugins[running.plugin].occupants[running.lane] = running.number }
    }

    private struct Judgement {
        let outcome: TaskOutcome
        let blame: Blame
        let message: String
        /// The work to be requeued; nil when the task ends.
        let returning: PendingWork?
        /// The newer request that supersedes the task; nil without one.
        var successor: SubmissionNumber?
    }

    private func judge(
        _ work: PendingWork,
        in running: LedgerSnapshot.UnfinishedLaunch,
        newest: [TaskIdentifier: SubmissionNumber],
        at now: Moment
    ) -> Judgement {
        let cause = "the host or the machine went down while the task ran"
        if running.mayNotBeRequeued.contains(work.number) {
            let message = "\(cause); the request was cancelled or stopped and is not requeued"
            return Judgement(outcome: .interrupted, blame: .machine, message: message, returning: nil)
        }
        if work.isAlert {
            let message = "\(cause); the notification is shown with its original content"
            return Judgement(outcome: .interrupted, blame: .machine, message: message, returning: nil)
        }
        var returning = work
        returning.retry.wasInterrupted = true
        if work.kind == .transfer {
            // The host performs transfers itself: they cause no losses, and continue at once.
            let message = "interrupted: \(cause); the transfer continues"
            return Judgement(outcome: .continues, blame: .machine, message: message, returning: returning)
        }
        if running.moved.contains(work.number) {
            // The host or the machine went down, but not before the task had done some of its work.
            (returning.retry.hostLosses, returning.retry.failures) = (0, 0)
            returning.retry.setbacks += 1
            var message = "interrupted: \(cause); the task continues behind its cursor, no attempt charged"
            if returning.retry.isSetBackAgain {
                // The task may have caused the losses.
                let delay = configuration.retryDelay(afterSetbacks: returning.retry.setbacks)
                (returning.retry.runsAlone, returning.retry.notBefore) = (true, now.wall + delay)
                message += "; it may run again in \(delay.humanReadable), in a launch of its own"
            }
            let newer = work.identifier.flatMap { newest[$0] }.flatMap { $0 > work.number ? $0 : nil }
            return Judgement(
                outcome: newer == nil ? .continues : .interrupted,
                blame: .machine,
                message: message,
                returning: newer == nil ? returning : nil,
                successor: newer
            )
        }
        returning.retry.hostLosses += 1
        let losses = returning.retry.hostLosses
        if losses >= Self.lossesBeforeAbandoned {
            let message =
                "abandoned: the host or the machine went down \(losses) times while the task ran, which the task may"
                + " have caused; find the cause" + (work.repetition.map { ", then \($0)" } ?? "")
            return Judgement(outcome: .abandoned, blame: .unknown, message: message, returning: nil)
        }
        var message = "interrupted, no attempt charged: \(cause)"
        if let newer = work.identifier.flatMap({ newest[$0] }), newer > work.number {
            return Judgement(
                outcome: .interrupted,
                blame: .machine,
                message: message,
                returning: nil,
                successor: newer
            )
        }
        if losses >= Self.lossesBeforeAlone {
            let delay = configuration.retryDelay(after: losses - Self.lossesBeforeAlone + 1)
            (returning.retry.runsAlone, returning.retry.notBefore) = (true, now.wall + delay)
            message +=
                ", \(losses) times so far; in \(delay.humanReadable) the task may run again, in a launch of its own"
        }
        return Judgement(outcome: .interrupted, blame: .machine, message: message, returning: returning)
    }

    private func lost(_ running: LedgerSnapshot.UnfinishedLaunch, at now: Moment) -> [LedgerChange] {
        let cause = "the host or the machine went down while the launch ran"
        let end = LaunchEnd(outcome: .lost, at: now.wall, used: nil, blame: .machine, message: cause)
        let entry = JournalEntry(
            at: now.wall,
            event: .launch(.lost),
            plugin: running.plugin,
            launch: running.number,
            blame: .machine,
            message: cause
        )
        return [.endLaunch(running.number, end), .journal(entry)]
    }
}

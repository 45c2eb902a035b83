// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskLedger
import TaskModel

// The answer to `why`, from the explanation of the scheduler and the records of the ledger.
extension TaskWhyReply {
    /// Creates the answer.
    ///
    /// - Parameter describe: the reply about a reason whose remedy depends on the catalogue; nil for other reasons.
    init(
        _ explanation: Explanation,
        at now: Moment,
        in conditions: ConditionsReply,
        last: LastOutcome?,
        history: [Wait]?,
        describe: (Reason) -> WaitingReason?
    ) {
        let reasons = explanation.reasons.map { reason in
            describe(reason) ?? WaitingReason(reason, at: now, in: conditions, last: last)
        }
        var pending: (work: PendingWork, reasons: [Reason], policies: [Scheduling.PolicyVerdict])?
        var running: Running?
        for state in explanation.states {
            switch state {
            case .pending(let work, let reasons, let policies): pending = (work, reasons, policies)
            case .running(let launch, let used, let total): running = Running(launch: launch, used: used, budget: total)
            case .unknown: break
            }
        }
        let state: State =
            running != nil ? .running : pending != nil ? .pending : last != nil ? .finished : .unknown
        self.init(
            identifier: explanation.identifier,
            plugin: explanation.plugin,
            state: state,
            kind: pending?.work.kind,
            submission: pending?.work.number,
            expiresAt: pending?.work.deadline,
            isEligible: pending?.reasons.isEmpty,
            reasons: reasons,
            nextOccurrence: explanation.nextOccurrence,
            schedule: explanation.schedule.map(Schedule.init),
            replacements: explanation.replacements.map(Replacements.init),
            earliestPossible: pending.map { EarliestPossible($0.reasons, at: now) },
            change: reasons.count == 1 ? reasons.first.flatMap(ProposedChange.init) : nil,
            running: running,
            lastOutcome: last,
            policies: pending?.policies.map { PolicyVerdict($0, at: now) },
            history: history
        )
    }
}

extension TaskWhyReply.Schedule {
    fileprivate init(_ listing: ScheduleListing) {
        self.init(plugin: listing.task.plugin, kind: listing.kind, rhythm: listing.rhythm)
    }
}

extension TaskWhyReply.Replacements {
    fileprivate init(_ replacements: Scheduling.Replacements) {
        self.init(
            since: replacements.since,
            last: replacements.last,
            submitters: replacements.bySubmitter
        )
    }
}

extension PendingWork {
    /// The deadline of a request; nil without one, and for an event.
    fileprivate var deadline: WallTime? {
        if case .request(let pending) = self { pending.request.expiresAt } else { nil }
    }

    /// The time of submission, or of the creation of an event.
    var acceptedAt: WallTime {
        switch self {
        case .request(let request): request.submittedAt
        case .event(let event): event.createdAt
        }
    }

    /// The time from which the recorded waits of this work's class (`WaitKey`) apply to it: its submission, or the end
    /// of the wait for its own earliest begin.
    var readyAt: WallTime { max(acceptedAt, ownWait?.until ?? acceptedAt) }

    /// The wait for the request's own earliest begin; nil without one. Every other wait is recorded for the class of
    /// the work (`WaitKey`), and shared by all work of the class.
    var ownWait: (reason: String, since: WallTime, until: WallTime)? {
        guard case .request(let request) = self, let begin = request.request.earliestBegin, begin > acceptedAt else {
            return nil
        }
        return (Reason.earliestBegin(begin).code, acceptedAt, begin)
    }
}

extension TaskWhyReply.Wait {
    /// Creates a wait of the history.
    ///
    /// - Parameter since: time from which the recorded waits of the work's class (`WaitKey`) apply to the submission.
    init(submission: SubmissionNumber, _ record: WaitRecord, since: WallTime, now: WallTime) {
        let since = max(record.since, since)
        let until = record.until.map { max($0, since) }
        self.init(submission: submission, code: record.reason, since: since, until: until, now: now)
    }

    init(
        submission: SubmissionNumber,
        _ own: (reason: String, since: WallTime, until: WallTime),
        now: WallTime
    ) {
        let until = own.until <= now ? own.until : nil
        self.init(submission: submission, code: own.reason, since: own.since, until: until, now: now)
    }
}

extension TaskWhyReply.PolicyVerdict {
    init(_ verdict: Scheduling.PolicyVerdict, at now: Moment) {
        var until: WallTime?
        if case .wait(let reason) = verdict.verdict { until = reason.end(at: now) }
        self.init(
            policy: verdict.policy.rawValue,
            verdict: verdict.verdict.name,
            rationale: verdict.rationale,
            until: until
        )
    }
}

extension TaskWhyReply.EarliestPossible {
    /// Creates the earliest time from the reasons: the latest end when all ends are known, the present when there are
    /// no reasons, unknown otherwise.
    init(_ reasons: [Reason], at now: Moment) {
        let ends = reasons.map { $0.end(at: now) }
        if ends.contains(where: { $0 == nil }) {
            self = .unknown
        } else {
            self = .at(Timestamp(ends.compactMap { $0 }.max() ?? now.wall))
        }
    }
}

extension TaskWhyReply.LastOutcome {
    init(_ record: JournalRecord) {
        self.init(
            outcome: record.event,
            at: record.at,
            blame: record.blame,
            message: record.message,
            launch: record.launch
        )
    }
}

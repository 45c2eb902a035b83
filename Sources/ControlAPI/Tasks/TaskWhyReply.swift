// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/tasks/{identifier}/why`: the state of a task, the reasons that block it, and the change that
/// would let it run.
package struct TaskWhyReply: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        case pending
        case running
        /// The task is neither pending nor running, and the ledger has its last outcome.
        case finished
        /// The task is neither pending nor running, and the ledger has no outcome of it.
        case unknown
    }

    package let identifier: String
    /// The plugin of the task; nil when no installed plugin permits the identifier or has work with it, and none has it
    /// on a schedule.
    package let plugin: String?
    package let state: State
    package let kind: String?
    package let submission: Int64?
    /// The deadline of the pending request; nil without one.
    package let expiresAt: Timestamp?
    private let expiresAtSecond: CalendarTime?
    /// Whether the pending request may run now; nil without a pending request.
    package let isEligible: Bool?
    /// The reasons that block the pending request. Without one, the reasons that block all work of its plugin.
    package let reasons: [WaitingReason]
    /// Time of the next submission by the operator's schedule; nil without a schedule, or when no next time is known.
    package let nextOccurrence: Timestamp?
    private let nextOccurrenceSecond: CalendarTime?
    /// The operator's schedule of the task; nil without one.
    package let schedule: Schedule?
    /// The replacements of the pending request; nil when none is pending, or it replaced none.
    package let replacements: Replacements?
    /// The earliest time at which the pending request or event could run; nil when none is pending.
    package let earliestPossible: EarliestPossible?
    private let earliestPossibleSecond: EarliestPossible.Second?
    /// The single change that would remove the only one of `reasons`; nil when there are several reasons or none.
    package let change: ProposedChange?
    package let running: Running?
    package let lastOutcome: LastOutcome?
    /// The verdict of each policy on the pending request or event; nil when none is pending.
    package let policies: [PolicyVerdict]?
    /// The waits of the pending submission, or without one of the newest submission with a recorded outcome; oldest
    /// first. Of more than 50 recorded waits, those that ended first are omitted. Nil when there is neither submission.
    package let history: [Wait]?
    /// The cursor at which the task continues; nil when it has none.
    package var cursor: CursorSummary?
    /// The claim of the pending or running task; nil for a task that is not from the queue of a fleet.
    package var claim: ClaimInWhy?

    package init(
        identifier: TaskIdentifier,
        plugin: PluginIdentifier?,
        state: State,
        kind: TaskKind? = nil,
        submission: SubmissionNumber? = nil,
        expiresAt: WallTime? = nil,
        isEligible: Bool? = nil,
        reasons: [WaitingReason] = [],
        nextOccurrence: WallTime? = nil,
        schedule: Schedule? = nil,
        replacements: Replacements? = nil,
        earliestPossible: EarliestPossible? = nil,
        change: ProposedChange? = nil,
        running: Running? = nil,
        lastOutcome: LastOutcome? = nil,
        policies: [PolicyVerdict]? = nil,
        history: [Wait]? = nil
    ) {
        self.identifier = identifier.text
        self.plugin = plugin?.text
        self.state = state
        self.kind = kind?.name
        self.submission = submission?.rawValue
        self.expiresAt = expiresAt.map(Timestamp.init)
        expiresAtSecond = self.expiresAt.map(CalendarTime.init(secondOf:))
        self.isEligible = isEligible
        self.reasons = reasons
        self.nextOccurrence = nextOccurrence.map(Timestamp.init)
        nextOccurrenceSecond = self.nextOccurrence.map(CalendarTime.init(secondOf:))
        self.schedule = schedule
        self.replacements = replacements
        self.earliestPossible = earliestPossible
        earliestPossibleSecond = earliestPossible.map(EarliestPossible.Second.init)
        self.change = change
        self.running = running
        self.lastOutcome = lastOutcome
        self.policies = policies
        self.history = history
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, plugin, state, kind, submission, reasons, schedule, replacements, change, running, policies
        case history, cursor, claim
        case expiresAt = "expires_at_ns"
        case expiresAtSecond = "expires_at"
        case isEligible = "eligible"
        case nextOccurrence = "next_occurrence_ns"
        case nextOccurrenceSecond = "next_occurrence"
        case earliestPossible = "earliest_possible_ns"
        case earliestPossibleSecond = "earliest_possible"
        case lastOutcome = "last_outcome"
    }

    /// Earliest instant at which the task could run; encoded as a time, or as the string `unknown`.
    package enum EarliestPossible: Codable, Hashable, Sendable {
        case at(Timestamp)
        /// The task is blocked by a reason without a known end.
        case unknown

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let isUnknown = try container.decode(String.self) == "unknown"
            self = isUnknown ? .unknown : .at(try container.decode(Timestamp.self))
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .at(let time): try container.encode(time)
            case .unknown: try container.encode("unknown")
            }
        }

        /// The same instant rounded down to the whole second, in the format of `CalendarTime`; or the string `unknown`.
        fileprivate struct Second: Codable, Hashable, Sendable {
            private let text: String

            init(_ earliest: EarliestPossible) {
                text =
                    switch earliest {
                    case .at(let time): CalendarTime(secondOf: time).description
                    case .unknown: "unknown"
                    }
            }

            init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
    }

    package struct Running: Codable, Hashable, Sendable {
        package let launch: Int64
        package let used: Nanoseconds
        /// The budget of the launch; nil for a continued task, which the budget does not limit, and without a fixed
        /// budget.
        package let budget: Nanoseconds?

        package init(launch: LaunchNumber, used: Duration, budget: Duration?) {
            self.launch = launch.rawValue
            self.used = Nanoseconds(used)
            self.budget = budget.map { Nanoseconds($0) }
        }

        private enum CodingKeys: String, CodingKey {
            case launch
            case used = "used_ns"
            case budget = "budget_ns"
        }
    }

    /// The verdict of one policy on the task.
    package struct PolicyVerdict: Codable, Hashable, Sendable {
        package let policy: String
        /// The verdict: `may` (no objection), `wait` (the policy delays the task) or `must` (overrides every `wait`).
        package let verdict: String
        package let rationale: String
        /// Time at which a verdict `wait` ends if nothing else changes; nil when the time is unknown, and for other
        /// verdicts.
        package let until: Timestamp?
        private let untilSecond: CalendarTime?

        package init(policy: String, verdict: String, rationale: String, until: WallTime? = nil) {
            self.policy = policy
            self.verdict = verdict
            self.rationale = rationale
            self.until = until.map(Timestamp.init)
            untilSecond = self.until.map(CalendarTime.init(secondOf:))
        }

        private enum CodingKeys: String, CodingKey {
            case policy, verdict, rationale
            case until = "until_ns"
            case untilSecond = "until"
        }
    }

    /// A period in which a submission waited for one reason.
    package struct Wait: Codable, Hashable, Sendable {
        package let submission: Int64
        package let code: String
        package let since: Timestamp
        private let sinceSecond: CalendarTime
        /// End of the period; nil while it lasts.
        package let until: Timestamp?
        private let untilSecond: CalendarTime?
        package let duration: Nanoseconds

        package init(submission: SubmissionNumber, code: String, since: WallTime, until: WallTime?, now: WallTime) {
            self.submission = submission.rawValue
            self.code = code
            self.since = Timestamp(since)
            sinceSecond = CalendarTime(secondOf: self.since)
            self.until = until.map(Timestamp.init)
            untilSecond = self.until.map(CalendarTime.init(secondOf:))
            duration = Nanoseconds(max(.zero, (until ?? now) - since))
        }

        private enum CodingKeys: String, CodingKey {
            case submission, code
            case since = "since_ns"
            case sinceSecond = "since"
            case until = "until_ns"
            case untilSecond = "until"
            case duration = "duration_ns"
        }
    }

    package struct LastOutcome: Codable, Hashable, Sendable {
        package let outcome: String
        package let at: Timestamp
        private let atSecond: CalendarTime
        package let blame: String
        package let message: String
        /// The launch of the task; nil when the task ended without a launch, for example by cancellation.
        package let launch: Int64?

        package init(outcome: String, at: WallTime, blame: Blame, message: String, launch: LaunchNumber?) {
            self.outcome = outcome
            self.at = Timestamp(at)
            atSecond = CalendarTime(secondOf: self.at)
            self.blame = blame.rawValue
            self.message = message
            self.launch = launch?.rawValue
        }

        package init(_ entry: JournalEntry) {
            self.init(
                outcome: entry.event.name,
                at: entry.at,
                blame: entry.blame,
                message: entry.message,
                launch: entry.launch
            )
        }

        private enum CodingKeys: String, CodingKey {
            case outcome, blame, message, launch
            case at = "at_ns"
            case atSecond = "at"
        }
    }
}

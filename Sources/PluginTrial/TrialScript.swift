// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import RunnerWire
package import TaskModel

/// The input of one trial: the tasks of the launch, its limits, and the decisions of the host during the launch.
package struct TrialScript: Hashable, Sendable {
    /// A task of the launch. Its position in the script is its number in the log.
    package struct Task: Hashable, Sendable {
        package let kind: TaskKind
        /// Type of an event; nil for all other kinds.
        package let event: EventType?
        /// The task identifier; for an event, the identifier of the plugin that receives it.
        package let identifier: String
        package var payload: [UInt8]
        /// The claim of a task from the queue of a fleet; nil for any other task.
        package let claim: Claim?

        package init(
            _ identifier: String,
            _ kind: TaskKind,
            event: EventType? = nil,
            payload: [UInt8] = [],
            claim: Claim? = nil
        ) {
            self.kind = kind
            self.event = event
            self.identifier = identifier
            self.payload = payload
            self.claim = claim
        }
    }

    /// The answer of the host to each submission that the rules of a host accept.
    package enum Answer: Hashable, Sendable {
        case acceptance
        case refusal(SubmissionRefusal.Code, SubmissionRefusal.SubReason)
    }

    /// An expiration of all tasks that are open.
    package struct Expiration: Hashable, Sendable {
        /// Time from the return of entry to the expiration.
        package let delay: Duration
        package let reason: ExpirationReason

        package init(after delay: Duration, _ reason: ExpirationReason) {
            self.delay = delay
            self.reason = reason
        }
    }

    /// Limits of the process, lower than those of every launch; nil for no lower limit.
    package struct Shortage: Hashable, Sendable {
        /// Maximum number of open descriptors of the process.
        package var descriptors: UInt64?
        /// Maximum growth of the address space in bytes, from the start of the runner.
        package var memory: UInt64?
        /// Maximum size in bytes of a file that the process writes. A write beyond it fails with EFBIG.
        package var fileSize: UInt64?

        package init(descriptors: UInt64? = nil, memory: UInt64? = nil, fileSize: UInt64? = nil) {
            self.descriptors = descriptors
            self.memory = memory
            self.fileSize = fileSize
        }
    }

    package var tasks: [Task]
    /// The budget of the tasks that are not continued, and the limit of entry.
    package var budget: Duration = .seconds(30)
    /// Whether the budget stays the same in a slowed script, because its end is the subject of the trial.
    package var keepsBudget = false
    package var gracePeriod: Duration = .seconds(5)
    /// Time without progress after which a continued task expires.
    package var stallLimit: Duration = .seconds(30)
    /// Maximum time from the plan until every open task expires. A continued task that reports progress has no other
    /// limit.
    package var limit = TrialScript.defaultLimit
    package var expiration: Expiration?
    package var answer = Answer.acceptance
    /// Whether the host refuses the registration for pushes, as while it cannot record the device token.
    package var refusesPushRegistration = false
    /// Identifiers and patterns of the manifest that this launch does not permit.
    package var withheld: Set<PermittedIdentifier> = []
    /// Whether the launch has the plugin's settings; if false, it has no settings.
    package var hasSettings = true
    package var shortage = Shortage()
    /// The differences from a host of this release that the trial imitates for the plugin; empty for none.
    package var imitation: ImitatedHost = []
    /// The number of equal launches in the same container before this one.
    package var earlierLaunches = 0
    /// Whether an equal launch runs in the same container at the same time.
    package var hasTwin = false

    package static let defaultLimit = Duration.seconds(600)

    package init(_ tasks: [Task]) {
        self.tasks = tasks
    }

    /// Whether the launch has a fixed budget: a launch of continued tasks alone has none.
    package var hasFixedBudget: Bool { tasks.contains { $0.kind != .continued } }

    /// The same script with its time limits multiplied, except the budget if `keepsBudget` is set. The time of the
    /// expiration stays the same.
    package func slowed(by factor: Int) -> TrialScript {
        var script = self
        if !keepsBudget { script.budget *= factor }
        script.gracePeriod *= factor
        script.stallLimit *= factor
        script.limit *= factor
        return script
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A message from the host to its runner. The first one is always the confinement, the second one the plan.
package enum HostMessage: Hashable, Sendable {
    case confine(Confinement)
    case plan(RunnerPlan)
    /// Another task for the running launch: a continued task that the launch itself submitted (C8). Sent after the
    /// answer to its submission.
    case deliver(RunnerPlan.Task)
    case expire([TaskID], ExpirationReason)
    /// The task of a newer request of the same identifier starts: this task moves its cursor no more.
    case yieldCursor(TaskID)
    /// The launch is expiring: open assertions have to end, and no assertion can begin.
    case expireAssertions(ExpirationReason)
    case submitted(CallNumber, SubmissionNumber)
    case refused(CallNumber, SubmissionRefusal)
    /// The answer to `cancel` and `cancelAll`, sent after the commit of the cancellation, or at once when there is
    /// nothing to cancel. `isRecorded` is false when the commit failed.
    case cancelled(CallNumber, isRecorded: Bool)
    case pending(CallNumber, [ListedRequest])
    /// The answer to `checkpoint`, sent after the commit of the cursor. `isRecorded` is false when the commit failed.
    case cursorStored(CallNumber, isRecorded: Bool)
    /// The answer to `registerForPushes` and `unregisterForPushes`, sent after the commit: the device token of the
    /// plugin; nil when it has none.
    case pushToken(CallNumber, PushToken?)
    /// The answer to `beginTransfer`, sent after the commit: the number of the transfer.
    case transferBegun(CallNumber, SubmissionNumber)
    /// The answer to `transfers`, in the order of the numbers.
    case transfers(CallNumber, [ListedTransfer])
    /// Every task has ended and no assertion is open. The runner lets calls in progress return, calls the plugin's
    /// `stop`, flushes the output and exits.
    case stop
}

/// All data that a confined runner needs for one launch: its part of the `LaunchPlan`, with payloads and container.
package struct RunnerPlan: Hashable, Sendable {
    package struct Task: Hashable, Sendable {
        package let id: TaskID
        package let kind: TaskKind
        /// Type of an event; nil for all other kinds.
        package let event: EventType?
        /// The task identifier; for an event, the identifier of the plugin that receives it.
        package let identifier: String
        package let submission: SubmissionNumber
        package let attempts: Int
        package let requiresNetwork: Bool
        package let requiresExternalPower: Bool
        package let protection: ProtectionType
        /// Terms of a continued task; nil for all other kinds.
        package let continued: ContinuedTerms?
        package let payload: [UInt8]
        /// The cursor that an earlier run of the task left; nil when the task begins from the start.
        package let cursor: TaskCursor?
        /// The claim of a task from the queue of a fleet; nil for any other task.
        package let claim: Claim?

        package init(
            id: TaskID,
            kind: TaskKind,
            event: EventType?,
            identifier: String,
            submission: SubmissionNumber,
            attempts: Int,
            requiresNetwork: Bool = false,
            requiresExternalPower: Bool = false,
            protection: ProtectionType = .default,
            continued: ContinuedTerms? = nil,
            payload: [UInt8],
            cursor: TaskCursor? = nil,
            claim: Claim? = nil
        ) {
            self.id = id
            self.kind = kind
            self.event = event
            self.identifier = identifier
            self.submission = submission
            self.attempts = attempts
            self.requiresNetwork = requiresNetwork
            self.requiresExternalPower = requiresExternalPower
            self.protection = protection
            self.continued = continued
            self.payload = payload
            self.cursor = cursor
            self.claim = claim
        }
    }

    package let launch: LaunchNumber
    package let plugin: PluginIdentifier
    package let role: PluginRole
    package let lane: Lane
    package let cause: LaunchCause
    package let libraryPath: String
    package let libraryIdentity: FileIdentity
    /// Whether the host has examined the library with this identity. The runner then loads it without reading it again.
    package let isExamined: Bool
    package let permitted: [PermittedIdentifier]
    package let modes: Set<BackgroundMode>
    package let settings: [String: String]
    /// The functions that the manifest binds; empty for a library with an entry function.
    package let handlers: [FunctionBinding]
    /// Resources of the machine that a continued request may require.
    package let supportedResources: TaskResources
    /// Version of the host, which `launch_info` returns to the plugin.
    package let hostVersion: String
    /// The differences from a host of this release that a trial imitates for the plugin; empty in every launch of a
    /// host.
    package let imitation: ImitatedHost
    /// Deadline of the launch on the machine's monotonic clock, which runner and host share; nil without a fixed
    /// budget. It applies to entry and to every task that is not continued.
    package let deadline: MonotonicTime?
    /// Deadline of the entry function, with or without a fixed budget.
    package let entryDeadline: MonotonicTime
    package let gracePeriod: Duration
    package let tasks: [Task]

    package init(
        launch: LaunchNumber,
        plugin: PluginIdentifier,
        role: PluginRole,
        lane: Lane,
        cause: LaunchCause,
        libraryPath: String,
        libraryIdentity: FileIdentity,
        isExamined: Bool = false,
        permitted: [PermittedIdentifier],
        modes: Set<BackgroundMode>,
        settings: [String: String],
        handlers: [FunctionBinding] = [],
        supportedResources: TaskResources,
        hostVersion: String,
        imitation: ImitatedHost = [],
        deadline: MonotonicTime?,
        entryDeadline: MonotonicTime,
        gracePeriod: Duration,
        tasks: [Task]
    ) {
        self.launch = launch
        self.plugin = plugin
        self.role = role
        self.lane = lane
        self.cause = cause
        self.libraryPath = libraryPath
        self.libraryIdentity = libraryIdentity
        self.isExamined = isExamined
        self.permitted = permitted
        self.modes = modes
        self.settings = settings
        self.handlers = handlers
        self.supportedResources = supportedResources
        self.hostVersion = hostVersion
        self.imitation = imitation
        self.deadline = deadline
        self.entryDeadline = entryDeadline
        self.gracePeriod = gracePeriod
        self.tasks = tasks
    }
}

/// One pending request as a plugin lists it: as submitted, with its number.
package struct ListedRequest: Hashable, Sendable {
    package let request: TaskRequest
    package let number: SubmissionNumber
    package let payload: [UInt8]

    package init(request: TaskRequest, number: SubmissionNumber, payload: [UInt8]) {
        self.request = request
        self.number = number
        self.payload = payload
    }
}

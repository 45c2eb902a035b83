// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// An input of the scheduler: a call, a result from the ledger, a change of the environment, or a message about a
/// launch. Apart from the time and the arguments of `init`, the scheduler has no other input. Indirect, because an event is
/// copied several times on its way to the scheduler, and some have hundreds of bytes.
package indirect enum SchedulerEvent: Hashable, Sendable {
    // Calls.
    case submitted(Submission, reply: ReplyToken)
    case triggered(Trigger, reply: ReplyToken)
    case pushed(Push, reply: ReplyToken)
    /// A plugin began a transfer.
    case transferBegun(NewTransfer, reply: ReplyToken)
    /// A user's call to pause a transfer, or to resume it.
    case transferPauseRequested(TaskIdentifier, isPaused: Bool, reply: ReplyToken)
    /// An alert push: a notification for a plugin, which an extension of the plugin may change.
    case alerted(Alert, reply: ReplyToken)
    /// A cancellation of one identifier: by a launch of the plugin, or by a user when `from` is nil. With a claim, only
    /// of the work with this claim.
    case cancelRequested(
        TaskIdentifier,
        of: PluginIdentifier?,
        from: LaunchNumber? = nil,
        claim: Claim.Key? = nil,
        reply: ReplyToken
    )
    case cancelAllRequested(of: PluginIdentifier, from: LaunchNumber? = nil, reply: ReplyToken)
    case runRequested([TaskIdentifier], reply: ReplyToken)
    case expirationSimulated(TaskIdentifier, reply: ReplyToken)
    /// A user's call to stop a running task, or a continued request that waits.
    case taskStopRequested(TaskIdentifier, reply: ReplyToken)
    /// A user's call to stop all tasks of a launch.
    case launchStopRequested(LaunchNumber, reply: ReplyToken)
    /// A user's call to delete the cursor of a task.
    case cursorClearRequested(TaskIdentifier, of: PluginIdentifier, reply: ReplyToken)
    /// A change of the device token of a plugin: by a launch of the plugin, or by a user when `from` is nil.
    case pushTokenChangeRequested(PluginIdentifier, PushTokenChange, from: LaunchNumber? = nil, reply: ReplyToken)
    case purgeRequested(PluginIdentifier, reply: ReplyToken)
    /// A user's call to pause a plugin, until a time or, when it is nil, until a user resumes it.
    case pauseRequested(PluginIdentifier, until: WallTime?, reply: ReplyToken)
    case resumeRequested(PluginIdentifier, reply: ReplyToken)
    /// A feeder's call to make or to renew a lease.
    case leaseRenewed(LeaseRenewal, reply: ReplyToken)
    /// A call to delete a lease, by its owner or, when it is nil, by an operator.
    case leaseDeletionRequested(String, owner: UInt32?, reply: ReplyToken)
    /// A call changed the simulated conditions. The value contains all conditions that are simulated now. The resulting
    /// change of conditions arrives as `conditionsChanged`. The call gets no answer from the scheduler.
    case conditionsSimulated(ScriptedConditions)
    /// The configuration changed, by a call or by a signal. `keys` are the changed keys of the file. The call gets no
    /// answer from the scheduler.
    case configured(SchedulingConfiguration, keys: [String])
    /// An event that is a call of this user. The journal entries that it causes contain the user.
    case byUser(CallingUser, SchedulerEvent)

    // Results from the ledger.
    case committed(Ticket)
    case commitFailed(Ticket, message: String)
    /// The result of the action `load`: the pending work of a plugin.
    case loaded(PluginWork)
    case notLoaded(PluginIdentifier, message: String)

    // Changes of the environment.
    /// The catalogue changed. The first event contains the difference from an empty catalogue.
    case catalogued(CatalogueChange)
    case conditionsChanged(Conditions)
    /// Changed rules of time zones. Zones without an entry keep their rules.
    case timeZonesChanged(TimeZoneTable)
    /// A sample of the disk of the containers, with its use by the running launches. The event arrives for each sample
    /// while the disk lacks its reserve, and for the first sample with the reserve again.
    case diskSampled(DiskSample)
    /// The machine resumed after a suspend.
    case resumed
    case timerFired
    case stopRequested
    /// The host killed a leftover process that cannot be attributed to a launch.
    case leftoverKilled(pid: Int32, program: String, LeftoverOrigin)

    // Events of a launch.
    case runnerReady(LaunchNumber, RunnerProcess)
    case runnerUnavailable(LaunchNumber, message: String)
    /// The launch runs without a control group, and so without limits of memory and processes.
    case launchUnlimited(LaunchNumber, cause: String)
    /// The launch failed through no fault of the plugin. For example, the host could not send the plan or a task, the
    /// library was replaced, libffi is defective, or the kernel refused the sandbox. The launch is killed, and no
    /// attempt is charged.
    case launchFailedByHost(LaunchNumber, message: String)
    /// Entry returned.
    ///
    /// - Parameter cause: of a failed entry, the refused call with the same status and the text of the refusal, or the
    ///   flaw of the struct that entry filled; nil when there is neither.
    case entered(
        LaunchNumber,
        status: Int32,
        registered: [PermittedIdentifier],
        offersReceive: Bool,
        cause: String? = nil
    )
    case loadFailed(LaunchNumber, message: String)
    /// After its entry function, the launch registered a handler for an identifier of continued tasks or for a pattern.
    case registered(LaunchNumber, PermittedIdentifier)
    case progressed(LaunchNumber, TaskID, TaskProgress)
    /// The interval of legacy fetch that a plugin requested; nil for never.
    case fetchIntervalSet(LaunchNumber, Duration?)
    case completed(LaunchNumber, TaskID, CompletionOutcome, message: String? = nil)
    /// The try of a transfer ended, in a launch of the transfer library. Its completion follows.
    case transferEnded(LaunchNumber, TaskID, TransferEnd)
    /// A plugin took the file of its ended transfer.
    case transferTaken(LaunchNumber, SubmissionNumber)
    /// These tasks of the launch have a cursor from an earlier run. The values are the numbers of runs in a row that
    /// did not move it.
    case cursorsRead(LaunchNumber, [TaskID: Int])
    /// A task has written its cursor.
    ///
    /// - Parameter reply: the call that is answered when the cursor is on disk; nil when none waits.
    case cursorWritten(LaunchNumber, TaskID, CursorWrite, reply: ReplyToken? = nil)
    case expirationHandlerChanged(LaunchNumber, TaskID, isSet: Bool)
    case runnerExpired(LaunchNumber, [TaskID], ExpirationReason)
    case assertionBegan(LaunchNumber, AssertionID, name: String)
    case assertionEnded(LaunchNumber, AssertionID)
    /// A notification service extension set the content of the notification; nil when the content is invalid.
    case notificationChanged(LaunchNumber, TaskID, NotificationContent?)
    case violated(LaunchNumber, rule: ABIRule?, message: String)
    /// The sandbox refused a system call of the launch. Reported for the first call of each group, for a limited number
    /// of groups per launch.
    case denied(LaunchNumber, message: String)
    /// The launch thread killed the launch at its kill time. All earlier messages of the launch's runner were handled
    /// before.
    case killTimePassed(LaunchNumber)
    case runnerEnded(LaunchNumber, ProcessTermination, LastWords?)
}

/// A request for a task, submitted to be accepted or refused.
package struct Submission: Hashable, Sendable {
    package let request: TaskRequest
    package let payload: [UInt8]
    package let submitter: Submitter
    /// The launch of the submitting plugin; nil when a user or a schedule submitted.
    package let launch: LaunchNumber?
    /// Whether the task begins from the start: the cursor of its identifier is deleted.
    package let restarts: Bool
    /// Whether the request is refused unless it could start soon.
    package let isOnlyIfSoon: Bool
    /// The transfer that the request performs; nil for a request of another kind.
    package let transfer: TransferDescription?

    package init(
        request: TaskRequest,
        payload: [UInt8] = [],
        submitter: Submitter,
        launch: LaunchNumber? = nil,
        restarts: Bool = false,
        isOnlyIfSoon: Bool = false,
        transfer: TransferDescription? = nil
    ) {
        self.request = request
        self.payload = payload
        self.submitter = submitter
        self.launch = launch
        self.restarts = restarts
        self.isOnlyIfSoon = isOnlyIfSoon
        self.transfer = transfer
    }
}

/// A transfer that a plugin begins.
package struct NewTransfer: Hashable, Sendable {
    package let description: TransferDescription
    package let earliestBegin: WallTime?
    package let expiresAt: WallTime?
    /// The plugin that began the transfer, main or extension.
    package let plugin: PluginIdentifier
    package let launch: LaunchNumber?

    package init(
        _ description: TransferDescription,
        earliestBegin: WallTime? = nil,
        expiresAt: WallTime? = nil,
        plugin: PluginIdentifier,
        launch: LaunchNumber? = nil
    ) {
        self.description = description
        self.earliestBegin = earliestBegin
        self.expiresAt = expiresAt
        self.plugin = plugin
        self.launch = launch
    }
}

/// A call that launches an extension.
package struct Trigger: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let payload: [UInt8]

    package init(plugin: PluginIdentifier, payload: [UInt8] = []) {
        self.plugin = plugin
        self.payload = payload
    }
}

/// A background push for a plugin.
package struct Push: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let payload: [UInt8]
    /// The deadline; nil for none.
    package let expiresAt: WallTime?
    /// Whether the push waits for external power.
    package let isLowPriority: Bool
    /// Whether the push lapses unless it can start at once.
    package let isOnlyNow: Bool
    /// The identity of the push for repetitions; nil when its sender gave it no identifier.
    package let identity: PushIdentity?

    package init(
        to plugin: PluginIdentifier,
        payload: [UInt8] = [],
        expiresAt: WallTime? = nil,
        isLowPriority: Bool = false,
        isOnlyNow: Bool = false,
        identity: PushIdentity? = nil
    ) {
        self.plugin = plugin
        self.payload = payload
        self.expiresAt = expiresAt
        self.isLowPriority = isLowPriority
        self.isOnlyNow = isOnlyNow
        self.identity = identity
    }

    package var request: TaskRequest { request(until: expiresAt) }

    /// The request of the push when it is accepted at a time. A push that has to start at once lapses soon if its start
    /// fails.
    func request(at now: WallTime) -> TaskRequest {
        if !isOnlyNow { return request }
        let end = now + Self.startLimit
        return request(until: expiresAt.map { min($0, end) } ?? end)
    }

    /// Maximum time from the acceptance of a push that has to start at once to its start.
    private static let startLimit: Duration = .seconds(30)

    private func request(until end: WallTime?) -> TaskRequest {
        .push(to: plugin, expiresAt: end, isLowPriority: isLowPriority)
    }
}

/// An alert push for a plugin.
package struct Alert: Hashable, Sendable {
    package let plugin: PluginIdentifier
    /// The sender, which has a share of the plugin's rate of alerts.
    package let sender: PushSender
    package let topic: NotificationTopic?
    package let content: NotificationContent
    /// The payload for the extension.
    package let payload: [UInt8]
    /// Whether a notification service extension of the plugin may change the content.
    package let isMutable: Bool
    /// The identity of the push, for repetitions; nil without an identifier.
    package let identity: PushIdentity?

    package init(
        to plugin: PluginIdentifier,
        from sender: PushSender,
        topic: NotificationTopic? = nil,
        content: NotificationContent,
        payload: [UInt8] = [],
        isMutable: Bool = false,
        identity: PushIdentity? = nil
    ) {
        self.plugin = plugin
        self.sender = sender
        self.topic = topic
        self.content = content
        self.payload = payload
        self.isMutable = isMutable
        self.identity = identity
    }
}

/// The number that links a call to its answer. The decision loop chooses it.
package struct ReplyToken: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The number that links a commit to its result. The scheduler chooses it, in rising order.
package struct Ticket: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The origin of a leftover process.
package enum LeftoverOrigin: Hashable, Sendable {
    /// A launch of this host: the process had removed its process mark, and its parent ended.
    case unmarked
    /// A launch of an earlier host, which ended without ending its launches.
    case earlierHost
}

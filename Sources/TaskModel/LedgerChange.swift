// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One change that the scheduler stages for the ledger. The changes of one commit are written in one transaction, all
/// or none.
///
/// Indirect, because a change is copied several times on its way to the ledger, and some have hundreds of bytes.
package indirect enum LedgerChange: Hashable, Sendable {
    /// Stores an accepted request; replaces the pending request of the same plugin and identifier.
    case storeRequest(PendingRequest, payload: [UInt8])
    case removeRequest(SubmissionNumber)
    case storeEvent(PendingEvent, payload: [UInt8])
    case removeEvent(SubmissionNumber)

    /// Inserts the launch, and moves the tasks of its batch with their payloads from pending to running.
    case startLaunch(LaunchPlan)
    /// Moves a request with its payload from pending into a launch that already runs (C8).
    case startTask(LaunchNumber, PlannedTask)
    /// Moves a running launch to another lane.
    case moveLaunch(LaunchNumber, to: Lane)
    /// Marks a running task as ended and removes its payload. The task is not requeued.
    case endTask(LaunchNumber, SubmissionNumber)
    /// Requeues a running task with its new retry state and its payload. When a newer request with the same identifier
    /// is pending, the task ends instead, and the same transaction records its end in the journal.
    case requeueTask(LaunchNumber, PendingWork, at: WallTime)
    /// Stores the cursor of a running task. The contents are set by the decision loop.
    case storeCursor(CursorChange)
    /// Deletes the cursor of a task, unless a newer submission than `of` wrote it; nil deletes it in any case. Does
    /// nothing when the task has none.
    case dropCursor(PluginIdentifier, TaskIdentifier, of: SubmissionNumber? = nil)
    /// Deletes the cursor of a task, and marks its pending request as beginning from the start: its start deletes a
    /// cursor that an older task of the identifier wrote in the meantime.
    case restart(PluginIdentifier, TaskIdentifier, of: SubmissionNumber)
    /// Sets the number of runs in a row that did not move the cursor, unless a newer submission than `of` wrote the
    /// cursor. Does nothing for a task without a cursor.
    case setStandstills(PluginIdentifier, TaskIdentifier, Int, of: SubmissionNumber)
    /// Marks a running task as cancelled or stopped: if the task is interrupted, it is not requeued.
    case forbidRequeue(LaunchNumber, SubmissionNumber)
    case endLaunch(LaunchNumber, LaunchEnd)

    case journal(JournalEntry)
    /// Records that since `at` exactly these reasons, given by their codes, block a class of work. Closes the open rows
    /// of other reasons and opens rows for new reasons. An empty list closes every row.
    case recordWait(WaitKey, reasons: [String], at: WallTime)
    /// Replaces the deferral periods of a class of work. They are ordered by time, and only the last one may be open.
    case setDeferrals(WaitKey, [DeferralPeriod])
    /// Sets the legacy fetch schedule of a plugin; nil removes it.
    case setFetch(PluginIdentifier, FetchSchedule?)
    /// Records the newest occurrence of a schedule whose request was submitted, refused or skipped.
    case recordOccurrence(TaskIdentifier, at: WallTime)
    /// Records the facts about a plugin that is installed now, or that is missing.
    case rememberPlugin(KnownPlugin)
    case forgetPlugin(PluginIdentifier)
    /// Sets the pause of a plugin; nil removes it.
    case setPause(PluginIdentifier, PluginPause?)
    /// Replaces the histogram of a plugin's uses.
    case setUses(PluginIdentifier, UseHistogram)
    /// Issues, rotates or revokes the device token of a plugin. A token that ends is kept as ended at the time.
    case changePushToken(PluginIdentifier, PushTokenChange, at: WallTime)
    /// Adds counts of pushes without a journal entry to those of the plugin and user. Negative counts are subtracted,
    /// when the pushes get their entries.
    case countPushes(PluginIdentifier, PushSum)
    /// Stores the state of a transfer; replaces an earlier state of the transfer.
    case storeTransfer(Transfer)
    /// Records that the plugin took the file of an ended transfer.
    case takeTransfer(PluginIdentifier, SubmissionNumber)
    /// Deletes the ended transfers of a session with numbers below `before` that have no file, whose file was taken, or
    /// whose file is the response to an upload.
    case dropTransfers(PluginIdentifier, TransferSession, before: SubmissionNumber)
    /// Keeps the answer to a push for its repetitions. Deletes the answers to pushes of the plugin with lower numbers
    /// than `oldest`, and the answers to the pushes in `dropped`.
    case keepPushAnswer(PluginIdentifier, AnsweredPush, oldest: SubmissionNumber, dropped: [SubmissionNumber])
    /// Stores an alert push whose notification is shown later.
    case storeAlert(PendingAlert)
    /// Shows the notification of a stored alert, with the content that an extension changed or, when it is nil, with
    /// the original. Removes the alert and its waiting event. Does nothing when the alert has been shown.
    case showAlert(SubmissionNumber, NotificationContent?, at: WallTime)
    /// Shows a notification at once.
    case showNotification(ShownNotification)
    /// Stores a lease; replaces an earlier record of the lease. The acknowledged number never falls.
    case storeLease(LeaseRecord)
    case removeLease(String)
    /// Raises the incarnation of the ledger to this number; does nothing when it is not higher.
    case raiseIncarnation(Int64)
}

extension LedgerChange {
    /// The change with `user` set in its journal entry; a change that is not a journal entry is returned unchanged.
    package func caused(by user: CallingUser) -> LedgerChange {
        guard case .journal(var entry) = self else { return self }
        entry.user = user
        return .journal(entry)
    }
}

/// The end of a launch, as recorded in the ledger.
package struct LaunchEnd: Hashable, Sendable {
    package let outcome: LaunchOutcome
    package let at: WallTime
    /// Running time of the launch; nil when the host did not observe the end.
    package let used: Duration?
    package let blame: Blame
    package let message: String

    package init(outcome: LaunchOutcome, at: WallTime, used: Duration?, blame: Blame, message: String) {
        self.outcome = outcome
        self.at = at
        self.used = used
        self.blame = blame
        self.message = message
    }
}

/// The last recorded facts of a plugin. They show whether the plugin changed while the host was down.
package struct KnownPlugin: Hashable, Sendable {
    package let identifier: PluginIdentifier
    package let manifestPath: String
    package let manifestDigest: String
    package let libraryDigest: String
    package let permitted: [PermittedIdentifier]
    /// The time since which no usable manifest describes the plugin; nil while it is installed. The requests of a
    /// missing plugin are kept for a limited time (C17).
    package var missingSince: WallTime?

    package init(
        identifier: PluginIdentifier,
        manifestPath: String,
        manifestDigest: String,
        libraryDigest: String,
        permitted: [PermittedIdentifier],
        missingSince: WallTime? = nil
    ) {
        self.identifier = identifier
        self.manifestPath = manifestPath
        self.manifestDigest = manifestDigest
        self.libraryDigest = libraryDigest
        self.permitted = permitted
        self.missingSince = missingSince
    }

    package init(_ entry: PluginEntry) {
        self.init(
            identifier: entry.identifier,
            manifestPath: entry.manifestPath,
            manifestDigest: entry.manifestDigest,
            libraryDigest: entry.library.digest,
            permitted: entry.permitted
        )
    }

    /// The changed parts since an earlier record, for messages; empty when both describe the same files.
    package func changedParts(since earlier: KnownPlugin) -> [String] {
        var parts: [String] = []
        if manifestDigest != earlier.manifestDigest { parts.append("manifest") }
        if libraryDigest != earlier.libraryDigest { parts.append("library") }
        if manifestPath != earlier.manifestPath { parts.append("path of the manifest") }
        return parts
    }
}

/// The schedule of legacy fetch events for a plugin without permitted identifiers (statement 84).
package struct FetchSchedule: Hashable, Sendable {
    /// The least time between two fetches.
    package var interval: Duration
    /// Start of the present interval: the time of the last due fetch or, if later, of the last change of the interval.
    package var last: WallTime

    package init(interval: Duration, last: WallTime) {
        self.interval = interval
        self.last = last
    }
}

/// A launch that ended within the last week, with the data that policies need.
package struct PastLaunch: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let lane: Lane
    package let cause: LaunchCause
    package let outcome: LaunchOutcome
    package let endedAt: WallTime
    package let used: Duration?
    /// The kinds of those requests of the launch that the plugin itself had submitted, and of its pushes.
    package let ownKinds: Set<TaskKind>
    /// Whether the launch used its whole budget, so that its tasks expired or overran.
    package let usedBudget: Bool

    package init(
        plugin: PluginIdentifier,
        lane: Lane,
        cause: LaunchCause,
        outcome: LaunchOutcome,
        endedAt: WallTime,
        used: Duration?,
        ownKinds: Set<TaskKind> = [],
        usedBudget: Bool = false
    ) {
        self.plugin = plugin
        self.lane = lane
        self.cause = cause
        self.outcome = outcome
        self.endedAt = endedAt
        self.used = used
        self.ownKinds = ownKinds
        self.usedBudget = usedBudget
    }
}

/// The state that the scheduler loads from the ledger after a restart. Its size does not depend on the number of
/// pending requests: these are loaded per plugin, as `PluginWork`.
package struct LedgerSnapshot: Sendable {
    /// Plugins with pending requests or events, ordered by identifier.
    package var pendingPlugins: [PluginIdentifier]
    /// Launches without a recorded end.
    package var running: [UnfinishedLaunch]
    package var known: [KnownPlugin]
    /// Launches that ended within the last week, oldest first. Of very many launches, only the newest are included.
    package var past: [PastLaunch]
    package var fetches: [PluginIdentifier: FetchSchedule]
    package var occurrences: [TaskIdentifier: WallTime]
    package var pauses: [PluginIdentifier: PluginPause]
    package var uses: [PluginIdentifier: UseHistogram]
    /// The pushes without a journal entry, by user.
    package var pushSums: [PluginIdentifier: [PushSum]]
    /// The accepted pushes with an identifier, in the order of their numbers.
    package var pushAnswers: [PluginIdentifier: [AnsweredPush]]
    /// Plugins with a valid device token.
    package var pushTokenHolders: Set<PluginIdentifier>
    /// The alerts that the last host accepted and did not show, oldest first.
    package var alerts: [PendingAlert]
    /// The leases of feeders, ordered by name.
    package var leases: [LeaseRecord]
    package var lastSubmission: SubmissionNumber
    package var lastLaunch: LaunchNumber

    package init(
        pendingPlugins: [PluginIdentifier] = [],
        running: [UnfinishedLaunch] = [],
        known: [KnownPlugin] = [],
        past: [PastLaunch] = [],
        fetches: [PluginIdentifier: FetchSchedule] = [:],
        occurrences: [TaskIdentifier: WallTime] = [:],
        pauses: [PluginIdentifier: PluginPause] = [:],
        uses: [PluginIdentifier: UseHistogram] = [:],
        pushSums: [PluginIdentifier: [PushSum]] = [:],
        pushAnswers: [PluginIdentifier: [AnsweredPush]] = [:],
        pushTokenHolders: Set<PluginIdentifier> = [],
        alerts: [PendingAlert] = [],
        leases: [LeaseRecord] = [],
        lastSubmission: SubmissionNumber = SubmissionNumber(rawValue: 0),
        lastLaunch: LaunchNumber = LaunchNumber(rawValue: 0)
    ) {
        self.pendingPlugins = pendingPlugins
        self.running = running
        self.known = known
        self.past = past
        self.fetches = fetches
        self.occurrences = occurrences
        self.pauses = pauses
        self.uses = uses
        self.pushSums = pushSums
        self.pushAnswers = pushAnswers
        self.pushTokenHolders = pushTokenHolders
        self.alerts = alerts
        self.leases = leases
        self.lastSubmission = lastSubmission
        self.lastLaunch = lastLaunch
    }

    /// A launch without a recorded end. After a restart its process is killed, then the outcomes of its unfinished
    /// tasks are decided.
    package struct UnfinishedLaunch: Hashable, Sendable {
        package let number: LaunchNumber
        package let plugin: PluginIdentifier
        package let lane: Lane
        package let process: RunnerProcess
        package let startedAt: WallTime
        /// The tasks without an outcome, in the order of the batch.
        package let unfinished: [PendingWork]
        /// The unfinished tasks that were cancelled or stopped while they ran.
        package let mayNotBeRequeued: Set<SubmissionNumber>
        /// The unfinished tasks whose cursor the launch has moved.
        package let moved: Set<SubmissionNumber>

        package init(
            number: LaunchNumber,
            plugin: PluginIdentifier,
            lane: Lane,
            process: RunnerProcess,
            startedAt: WallTime,
            unfinished: [PendingWork],
            mayNotBeRequeued: Set<SubmissionNumber>,
            moved: Set<SubmissionNumber> = []
        ) {
            self.number = number
            self.plugin = plugin
            self.lane = lane
            self.process = process
            self.startedAt = startedAt
            self.unfinished = unfinished
            self.mayNotBeRequeued = mayNotBeRequeued
            self.moved = moved
        }
    }
}

/// The pending work of one plugin, as stored in the ledger.
package struct PluginWork: Hashable, Sendable {
    package let plugin: PluginIdentifier
    /// The pending requests, ordered by number.
    package var requests: [PendingRequest]
    package var events: [PendingEvent]
    /// By class of work, the codes of the reasons whose waits are open.
    package var waits: [WorkClass: Set<String>]
    package var deferrals: [WorkClass: [DeferralPeriod]]
    /// The transfers without an end, and those with a file that the plugin has not taken, ordered by number.
    package var transfers: [Transfer]

    package init(
        plugin: PluginIdentifier,
        requests: [PendingRequest] = [],
        events: [PendingEvent] = [],
        waits: [WorkClass: Set<String>] = [:],
        deferrals: [WorkClass: [DeferralPeriod]] = [:],
        transfers: [Transfer] = []
    ) {
        self.plugin = plugin
        self.requests = requests
        self.events = events
        self.waits = waits
        self.deferrals = deferrals
        self.transfers = transfers
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One entry of the journal. An entry about a change of the ledger is normally written in the transaction of that
/// change; an entry about another fact, such as simulated conditions, is written without one.
package struct JournalEntry: Hashable, Sendable {
    /// The recorded fact, such as a submission, the end of a launch, a violation or a change of the catalogue.
    package enum Event: Hashable, Sendable, CaseIterable {
        case task(TaskOutcome)
        case launch(LaunchOutcome)
        case submitted
        case launched
        case cancelled
        case replaced
        case lapsed
        case leaseLost
        case superseded
        case consumed
        case stopRequested
        case cancelRequested
        case launchRequested
        case expirationSimulated
        case triggered
        case notified
        case diskLow
        case conditionsSimulated
        case simulationEnded
        case leftoverKilled
        case limitsMissing
        case violation
        case denied
        case occurrenceMissed
        case pluginInstalled
        case pluginChanged
        case pluginRefused
        case provenanceRefused
        case pluginRemoved
        case pluginPaused
        case pluginResumed
        case pushTokenChanged
        case cursorCleared
        case transferPaused
        case transferResumed
        case downloadRefused
        case setbacks
        case configurationReloaded
        case backedUp
        case restored
        case outcomesLost

        package static var allCases: [Event] {
            TaskOutcome.allCases.map(Event.task) + LaunchOutcome.allCases.map(Event.launch) + [
                .submitted, .launched, .cancelled, .replaced, .lapsed, .leaseLost, .superseded, .consumed,
                .stopRequested,
                .cancelRequested, .launchRequested, .expirationSimulated, .triggered, .notified, .diskLow,
                .conditionsSimulated,
                .simulationEnded, .leftoverKilled, .limitsMissing, .violation, .denied, .occurrenceMissed,
                .pluginInstalled,
                .pluginChanged, .pluginRefused, .provenanceRefused, .pluginRemoved, .pluginPaused,
                .pluginResumed, .pushTokenChanged, .cursorCleared, .transferPaused, .transferResumed, .downloadRefused,
                .setbacks,
                .configurationReloaded, .backedUp, .restored, .outcomesLost,
            ]
        }

        /// Name and meaning of the event, and whether it ends its submission, which then never runs again.
        package var row: (name: String, meaning: String, isEndOfSubmission: Bool) {
            switch self {
            case .task(let outcome): (outcome.rawValue, outcome.meaning, outcome.isFinal)
            case .launch(let outcome): ("launch-\(outcome.rawValue)", "a launch ended: \(outcome.meaning)", false)
            case .submitted: ("submitted", "a request was accepted", false)
            case .launched: ("launched", "a plugin was launched", false)
            case .cancelled: ("cancelled", "a request was cancelled; a running task is not requeued", true)
            case .replaced: ("replaced", "a pending request was replaced by a newer one", true)
            case .lapsed: ("lapsed", "the deadline of a pending request passed before the request started", true)
            case .leaseLost:
                ("lease-lost", "a pending request with an unbound claim ended, because its lease is not trusted", true)
            case .superseded:
                ("superseded", "an interrupted or failed task is not requeued: a newer request exists", true)
            case .consumed:
                ("consumed", "an expired or stopped task ended without completion and is not requeued", true)
            case .cancelRequested: ("cancel-requested", "a user cancelled a running task, which continues", false)
            case .stopRequested: ("stop-requested", "a user stopped a task or a launch", false)
            case .launchRequested: ("launch-requested", "a user requested the immediate launch of a request", false)
            case .expirationSimulated: ("expiration-simulated", "a user simulated the expiration of a task", false)
            case .triggered: ("triggered", "a user triggered an extension", false)
            case .notified: ("notified", "the notification of an alert push was shown", true)
            case .diskLow: ("disk-low", "the disk of the containers lacks its reserve", false)
            case .conditionsSimulated: ("conditions-simulated", "a user changed the simulated conditions", false)
            case .simulationEnded: ("simulation-ended", "no condition is simulated any more", false)
            case .leftoverKilled:
                (
                    "leftover-killed",
                    "a process that removed its process mark, or outlived its host, was killed",
                    false
                )
            case .limitsMissing: ("limits-missing", "a launch runs without the control group that limits it", false)
            case .violation: ("violation", "a plugin broke a rule of the ABI", false)
            case .denied: ("denied", "the sandbox refused a system call of a plugin", false)
            case .occurrenceMissed: ("occurrence-missed", "the request of a schedule was refused", false)
            case .pluginInstalled:
                ("plugin-installed", "a plugin is in the catalogue for the first time, or again after a removal", false)
            case .pluginChanged:
                (
                    "plugin-changed",
                    "the manifest or the library of a plugin changed, or a refused plugin is accepted again", false
                )
            case .pluginRefused:
                ("plugin-refused", "a plugin was refused because of its manifest or its library", false)
            case .provenanceRefused:
                ("provenance-refused", "a plugin was refused because of its signature or its missing pins", false)
            case .pluginRemoved: ("plugin-removed", "a plugin is no longer installed", false)
            case .pluginPaused: ("plugin-paused", "a user paused a plugin, whose pending work waits", false)
            case .pluginResumed:
                ("plugin-resumed", "a user resumed a paused plugin, or the time of its pause has passed", false)
            case .pushTokenChanged:
                ("push-token-changed", "a user issued, rotated or revoked the device token of a plugin", false)
            case .cursorCleared: ("cursor-cleared", "a user or the host deleted the cursor of a task", false)
            case .transferPaused: ("transfer-paused", "a user paused a transfer, which waits", false)
            case .transferResumed: ("transfer-resumed", "a user resumed a paused transfer", false)
            case .downloadRefused:
                ("download-refused", "a download for the argument of a bound function was refused", false)
            case .setbacks:
                (
                    "setbacks", "several runs in a row moved the cursor of a task and ended by faults or host losses",
                    false
                )
            case .configurationReloaded:
                ("configuration-reloaded", "changed keys of the configuration apply without a restart", false)
            case .backedUp: ("backed-up", "a user made a backup of the running host", false)
            case .restored: ("restored", "the host started for the first time after a restore from a backup", false)
            case .outcomesLost:
                ("outcomes-lost", "the journal lost entries with a claim that no feeder has reported", false)
            }
        }

        package var name: String { row.name }
        package var endsSubmission: Bool { row.isEndOfSubmission }
    }

    package let at: WallTime
    package let event: Event
    /// The plugin that the entry is about; nil for an entry about the host.
    package let plugin: PluginIdentifier?
    package let launch: LaunchNumber?
    /// The task identifier, or the name of an event; nil for an entry about a whole launch, a plugin or
    /// the host.
    package let label: String?
    package let submission: SubmissionNumber?
    package let blame: Blame
    /// Message for users: what happened and, after a failure, the remedy.
    package private(set) var message: String
    /// The number of the newer submission; nil except in entries about a replaced or superseded request.
    package var successor: SubmissionNumber?
    /// In an entry that sums up omitted journal lines, their number; in an entry about accepted, replaced or lapsed
    /// pushes, their number; in an entry about a started launch, the number of its tasks; in an entry about a killed leftover
    /// process or about missing limits, the number of earlier ones without an entry, and nil for none; nil in other
    /// entries.
    package var count: Int?
    /// The user whose call caused the entry; nil when no call did.
    package var user: CallingUser?
    /// The claim of the submission, by which a feeder reports the entry; nil for a submission without a claim, and in
    /// entries about other facts.
    package var claim: Claim?
    /// Whether the entry is about a running task that the host expired because the trust in its lease ended.
    package var isLeaseLost = false

    package init(
        at: WallTime,
        event: Event,
        plugin: PluginIdentifier?,
        launch: LaunchNumber? = nil,
        label: String? = nil,
        submission: SubmissionNumber? = nil,
        blame: Blame,
        message: String,
        successor: SubmissionNumber? = nil,
        count: Int? = nil,
        user: CallingUser? = nil,
        claim: Claim? = nil
    ) {
        self.at = at
        self.event = event
        self.plugin = plugin
        self.launch = launch
        self.label = label
        self.submission = submission
        self.blame = blame
        self.message = message
        self.successor = successor
        self.count = count
        self.user = user
        self.claim = claim
    }

    /// The entry with `text` appended to its message.
    package func adding(_ text: String) -> JournalEntry {
        var entry = self
        entry.message += text
        return entry
    }

    /// An entry about an interrupted or failed task that is not requeued, because a newer request with the same
    /// identifier supersedes it.
    package static func superseded(
        _ work: PendingWork,
        by newer: SubmissionNumber,
        launch: LaunchNumber,
        at now: WallTime
    ) -> JournalEntry {
        JournalEntry(
            at: now,
            event: .superseded,
            plugin: work.plugin,
            launch: launch,
            label: work.label,
            submission: work.number,
            blame: .nobody,
            message: "submission \(work.number) is not requeued: it is superseded by submission \(newer)",
            successor: newer,
            claim: work.claim?.claim
        )
    }
}

/// The user and the program at the other end of a control connection. `uid` and `pid` are those that the kernel
/// recorded when the process connected.
package struct CallingUser: Hashable, Sendable {
    package let uid: UInt32
    package let pid: Int32
    /// The name of the program of the process `pid` at the time of the call; nil when the host cannot read it, such as
    /// after the end of the process.
    package let command: String?

    package init(uid: UInt32, pid: Int32, command: String?) {
        self.uid = uid
        self.pid = pid
        self.command = command
    }
}

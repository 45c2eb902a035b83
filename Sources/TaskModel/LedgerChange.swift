// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One change that the core wants on disk; those of one ticket are written in one transaction or not at all.
package enum LedgerChange: Hashable, Sendable {
    /// Stores an accepted request under its plugin and identifier, in place of the one pending there.
    case storeRequest(PendingRequest, payload: [UInt8])
    case removeRequest(SubmissionNumber)
    case storeEvent(PendingEvent, payload: [UInt8])
    case removeEvent(SubmissionNumber)

    /// Records the launch and moves its batch from pending to running, payloads included.
    case startLaunch(LaunchPlan)
    /// Moves one more request from pending into a launch that runs, payload included (C8).
    case startTask(LaunchNumber, PlannedTask)
    /// The launch runs in another lane from now on.
    case moveLaunch(LaunchNumber, to: Lane)
    /// A running task is over for good.
    case endTask(LaunchNumber, SubmissionNumber)
    /// A running task goes back to pending with its new retry state, payload included. When a newer request has its
    /// identifier it ends instead, and the journal gets that in the same transaction.
    case returnTask(LaunchNumber, PendingWork, at: WallTime)
    /// A running task was cancelled meanwhile: should it be interrupted, it does not return.
    case keepFromReturning(LaunchNumber, SubmissionNumber)
    case endLaunch(LaunchNumber, LaunchEnd)

    case journal(JournalEntry)
    /// The reasons that keep the work of a class from running since `at`, by their codes: closes the open rows of other
    /// reasons and opens rows for new ones. Without reasons nothing stays open.
    case recordWait(WaitKey, reasons: [String], at: WallTime)
    /// The deferral periods of a class, in place of those that are stored; oldest first, the last one may be open.
    case setDeferrals(WaitKey, [DeferralPeriod])
    /// Legacy fetch: the interval that a plugin asked for, nil for never.
    case setFetch(PluginIdentifier, FetchSchedule?)
    /// The newest moment of an operator's schedule that was acted on, or that was passed over in order.
    case recordOccasion(TaskIdentifier, at: WallTime)
    /// What the catalogue held when the plugin was last told that it started.
    case rememberPlugin(KnownPlugin)
    case forgetPlugin(PluginIdentifier)
}

extension LedgerChange {
    /// The change with the user in its journal entry; any other change as it is.
    package func caused(by user: CallingUser) -> LedgerChange {
        guard case .journal(var entry) = self else { return self }
        entry.user = user
        return .journal(entry)
    }
}

/// How and when a launch ended.
package struct LaunchEnd: Hashable, Sendable {
    package let outcome: LaunchOutcome
    package let at: WallTime
    /// Nil where nobody was there to measure it.
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

/// A plugin as the ledger last saw it, to notice what changed while the host was down.
package struct KnownPlugin: Hashable, Sendable {
    package let identifier: PluginIdentifier
    package let manifestPath: String
    package let manifestDigest: String
    package let libraryDigest: String
    package let permitted: [PermittedIdentifier]
    /// Since when no manifest describes it; its requests are kept for a while (C17).
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
}

/// When a plugin without permitted identifiers is to be asked for news (statement 84).
package struct FetchSchedule: Hashable, Sendable {
    /// At least so long between two.
    package var interval: Duration
    /// The last one, or when the interval was set.
    package var last: WallTime

    package init(interval: Duration, last: WallTime) {
        self.interval = interval
        self.last = last
    }
}

/// A launch of the last days, as far as policies look back.
package struct PastLaunch: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let lane: Lane
    package let cause: LaunchCause
    package let outcome: LaunchOutcome
    package let endedAt: WallTime
    package let used: Duration?

    package init(
        plugin: PluginIdentifier,
        lane: Lane,
        cause: LaunchCause,
        outcome: LaunchOutcome,
        endedAt: WallTime,
        used: Duration?
    ) {
        self.plugin = plugin
        self.lane = lane
        self.cause = cause
        self.outcome = outcome
        self.endedAt = endedAt
        self.used = used
    }
}

/// What the core needs from the ledger to begin after a restart, whatever the number of pending requests: these are
/// loaded plugin by plugin, as `PluginWork`.
package struct LedgerSnapshot: Sendable {
    /// Plugins with pending requests or events, in the order of their identifiers.
    package var pendingPlugins: [PluginIdentifier]
    /// Launches that no end was recorded for.
    package var running: [RunningLaunch]
    package var known: [KnownPlugin]
    /// Launches that ended within the last week, oldest first.
    package var past: [PastLaunch]
    package var fetches: [PluginIdentifier: FetchSchedule]
    package var occasions: [TaskIdentifier: WallTime]
    package var lastSubmission: SubmissionNumber
    package var lastLaunch: LaunchNumber

    package init(
        pendingPlugins: [PluginIdentifier] = [],
        running: [RunningLaunch] = [],
        known: [KnownPlugin] = [],
        past: [PastLaunch] = [],
        fetches: [PluginIdentifier: FetchSchedule] = [:],
        occasions: [TaskIdentifier: WallTime] = [:],
        lastSubmission: SubmissionNumber = SubmissionNumber(rawValue: 0),
        lastLaunch: LaunchNumber = LaunchNumber(rawValue: 0)
    ) {
        self.pendingPlugins = pendingPlugins
        self.running = running
        self.known = known
        self.past = past
        self.fetches = fetches
        self.occasions = occasions
        self.lastSubmission = lastSubmission
        self.lastLaunch = lastLaunch
    }

    /// A launch found running: its process is ended first, then its unfinished tasks are judged.
    package struct RunningLaunch: Hashable, Sendable {
        package let number: LaunchNumber
        package let plugin: PluginIdentifier
        package let lane: Lane
        package let process: RunnerProcess
        package let startedAt: WallTime
        /// The tasks without an outcome, in the order of the batch.
        package let unfinished: [PendingWork]
        /// Of those, the ones cancelled while they ran.
        package let keptFromReturning: Set<SubmissionNumber>

        package init(
            number: LaunchNumber,
            plugin: PluginIdentifier,
            lane: Lane,
            process: RunnerProcess,
            startedAt: WallTime,
            unfinished: [PendingWork],
            keptFromReturning: Set<SubmissionNumber>
        ) {
            self.number = number
            self.plugin = plugin
            self.lane = lane
            self.process = process
            self.startedAt = startedAt
            self.unfinished = unfinished
            self.keptFromReturning = keptFromReturning
        }
    }
}

/// The pending work of one plugin, as the ledger holds it.
package struct PluginWork: Hashable, Sendable {
    package let plugin: PluginIdentifier
    /// In the order of their numbers, as are the events.
    package var requests: [PendingRequest]
    package var events: [PendingEvent]
    /// The codes of the reasons of open waits.
    package var waits: [WorkClass: Set<String>]
    package var deferrals: [WorkClass: [DeferralPeriod]]

    package init(
        plugin: PluginIdentifier,
        requests: [PendingRequest] = [],
        events: [PendingEvent] = [],
        waits: [WorkClass: Set<String>] = [:],
        deferrals: [WorkClass: [DeferralPeriod]] = [:]
    ) {
        self.plugin = plugin
        self.requests = requests
        self.events = events
        self.waits = waits
        self.deferrals = deferrals
    }
}

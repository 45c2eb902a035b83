// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Decides which work runs, when and in which batch, and the outcome of each task. It uses no file, clock, thread or
/// process.
///
/// Each call of `handle` takes an event and the time, and returns the resulting actions. The state equals the contents
/// of the ledger, with the changes in flight on top. Most changes are applied when their commit succeeds and dropped
/// when it fails, so that memory and ledger do not differ. The outcomes of delivered tasks, skipped occurrences and
/// fetch intervals are applied at once instead, and staged until they are written.
///
/// The cost of most events depends only on the work that the event concerns. Requests are grouped by their reasons,
/// lookups are indexed, and an event that concerns many plugins leaves chores, which are processed in slices.
package struct Scheduler: Sendable {
    package internal(set) var configuration: SchedulingConfiguration
    package internal(set) var conditions: Conditions
    package internal(set) var isStopping = false

    var plugins = PluginTable()
    var launches = LaunchTable()
    var inFlight = InFlightTable()
    /// The operations on each plugin that wait for the result of a commit in flight.
    var waiting = WaitingOperations()
    /// By plugin, the lapses whose commit failed. They are staged again after a delay, and stay in flight until then.
    var unrecordedLapses: [PluginIdentifier: [StagedLapse]] = [:]
    /// By plugin, the pushes that wait until no change of the plugin's waiting push is in flight, oldest first.
    var waitingPushes: [PluginIdentifier: [WaitingPush]] = [:]
    /// By main plugin, its transfers without an end; plugins without such a transfer are absent.
    var transfers: [PluginIdentifier: OpenTransfers] = [:]
    /// By main plugin, its ended transfers with a file that it has not taken; plugins without one are absent.
    var untakenFiles: [PluginIdentifier: UntakenFiles] = [:]
    /// By main plugin, the last use by a user since the start of the host: it ends a row of relaunches.
    var lastUses: [PluginIdentifier: WallTime] = [:]
    /// By plugin, the bound of the journal entries about its pushes; plugins without pushes are absent.
    var pushLines: [PluginIdentifier: PushLines] = [:]
    /// The accepted pushes of the last ten minutes that have an identifier, as recorded in the ledger.
    var pushAnswers: [PluginIdentifier: AnsweredPushes] = [:]
    /// By main plugin, the accepted alerts whose notification is not shown yet; plugins without any are absent.
    var alertLines: [PluginIdentifier: AlertLine] = [:]
    /// By main plugin, the rate of its alerts; plugins without any alert are absent.
    var alertRates: [PluginIdentifier: AlertRate] = [:]
    /// The calls that repeat an alert whose acceptance is in flight, by its identity.
    var repeatedAlerts: [PluginIdentifier: [PushIdentity: [ReplyToken]]] = [:]
    /// The leases of feeders, with their claims.
    package internal(set) var leases = LeaseTable()
    var loading: LoadState
    var agenda = Agenda()
    var backlog = Backlog()
    /// Plugins whose next launch waits for capacity, by lane.
    var capacity: [Lane: CapacityQueue] = [:]
    var waiters = ConditionWaiters()

    var owners = IdentifierOwners()
    /// By task identifier, the plugins that may have a pending request with the identifier without owning it. A plugin
    /// that owns the identifier again may still be included.
    var strays: [TaskIdentifier: Set<PluginIdentifier>] = [:]
    var extensions: [PluginIdentifier: Set<PluginIdentifier>] = [:]
    /// By plugin, the recent use of plugins whose state was dropped; see `PluginUse`.
    var usesOfUninstalled: [PluginIdentifier: PluginUse] = [:]

    var lastSubmission: SubmissionNumber
    var lastLaunch: LaunchNumber
    /// Number of pending requests of the loaded plugins.
    package internal(set) var pendingCount = 0
    /// Number of pending requests of the loaded plugins by kind; kinds that never had one are absent.
    package internal(set) var pendingByKind: [TaskKind: Int] = [:]
    /// Number of waiting events of the loaded plugins.
    package internal(set) var waitingEventCount = 0
    /// Number of installed plugins.
    package internal(set) var installedCount = 0

    /// Number of background and continued launches of each plugin that have not ended.
    var launchesAtWork: [PluginIdentifier: Int] = [:]
    /// Plugins that the current event has changed: the conditions to watch for them may differ.
    var toWatchAnew: Set<PluginIdentifier> = []
    var lastWatch = Watch()
    /// Plugins with pending health research that needs an unlocked container, or with launches that may still run it.
    var studying: Set<PluginIdentifier> = []
    /// Launches whose limits the current event may have changed.
    var toEnforceAnew: Set<LaunchNumber> = []

    var fetches: [PluginIdentifier: FetchSchedule] = [:]
    /// Plugins whose legacy fetch is due but waits for the network.
    var fetchesWithoutNetwork: Set<PluginIdentifier> = []
    /// By task identifier, the last submitted, skipped or refused occurrence of the schedule. Without one, or after the
    /// wall clock was far ahead, the time at which the schedule was arranged.
    var occurrences: [TaskIdentifier: WallTime] = [:]
    /// The paused plugins, as recorded in the ledger.
    var pauses: [PluginIdentifier: PluginPause] = [:]
    /// Plugins with a valid device token, as recorded in the ledger.
    var pushTokenHolders: Set<PluginIdentifier> = []
    /// By plugin with a change of its device token in flight, the later calls, oldest first.
    var waitingPushTokens: [PluginIdentifier: [PushTokenCall]] = [:]
    /// The uses of plugins by hour of the week. Plugins without a use are absent.
    package internal(set) var uses: [PluginIdentifier: UseHistogram] = [:]
    package internal(set) var timeZones: TimeZoneTable
    var calendar: CalendarIndex
    /// The old rules of a changed time zone, by the task identifier of the schedule. Only for schedules whose
    /// occurrence was in a commit in flight when the rules changed.
    var rulesOfCommits: [TaskIdentifier: TimeZoneRules] = [:]
    var startupWaves = StartupWaves()
    var lastWall: WallTime
    var clockDoubt: ClockDoubt
    /// The earliest time at which memory pressure may expire the next continued task; nil before the first expiration.
    var pressureRelief: MonotonicTime?
    var disk = DiskGuard()
    /// Changes that no decision waits for and whose commit failed. They are staged again after a delay.
    var kept: [LedgerChange] = []
    /// The seed of the jitter of retries. Hosts with different seeds retry at different times.
    let jitterSeed: UInt64
    /// Whether the commit of the last submission failed. No runner is then started before a commit.
    var isLedgerFailing = false
    var hasCatalogue = false
    /// The manifests that are refused now, by plugin.
    var refusals: [PluginIdentifier: Catalogue.ManifestRefusal] = [:]
    /// The journaled problems of refused manifests, by plugin. A refused plugin that is not installed but has a state
    /// has no entry: `miss` journals the refusals that uninstall a plugin.
    var journaledRefusals: [PluginIdentifier: String] = [:]
    var hasStopped = false
    /// The time from which an orderly stop no longer waits for the ledger; nil before a stop.
    var stopBy: MonotonicTime?

    /// The conditions that users simulate, as last journaled.
    var simulated = ScriptedConditions()

    /// Bounds the journal entries about killed leftover processes.
    var killedLeftovers = EntryBound()
    var missingLimits = EntryBound()

    /// The user whose call is being handled; nil for other events.
    var callingUser: CallingUser?

    private var actions: [SchedulerAction] = []
    private var lastWake: (monotonic: MonotonicTime?, wall: WallTime?) = (nil, nil)

    /// Maximum number of chores that one event processes.
    private static let slice = 64

    /// Creates the scheduler from the state in the ledger. The processes of the launches in `snapshot.running` must
    /// have ended. The unfinished tasks of these launches are judged when the pending work of their plugin is loaded.
    package init(
        configuration: SchedulingConfiguration,
        conditions: Conditions,
        snapshot: LedgerSnapshot,
        jitterSeed: UInt64 = 0,
        at now: Moment
    ) {
        self.configuration = configuration
        self.jitterSeed = jitterSeed
        self.conditions = conditions
        timeZones = configuration.timeZones
        calendar = CalendarIndex(configuration)
        lastSubmission = snapshot.lastSubmission
        lastLaunch = snapshot.lastLaunch
        lastWall = now.wall
        clockDoubt = ClockDoubt(at: now, for: configuration.clockDoubt)
        loading = LoadState(snapshot)
        restore(snapshot, at: now)
    }

    package mutating func handle(_ event: SchedulerEvent, at now: Moment) -> [SchedulerAction] {
        if now.wall < lastWall { clockWasSetBack() }
        lastWall = now.wall
        clockDoubt.note(now, for: configuration.clockDoubt)
        endTrust(at: now)
        dispatch(event, at: now)
        workOff(at: now)
        acceptWaitingPushes(at: now)
        load()
        reportStopped(at: now)
        updateLimits()
        updateWatch()
        updateWake(at: now)
        defer { actions = [] }
        return actions
    }

    mutating func emit(_ action: SchedulerAction) { actions.append(action) }

    /// Stages a change: emits a commit of `changes`, and keeps `change` until the result of the commit is known.
    mutating func stage(_ change: StagedChange, _ changes: [LedgerChange]) {
        let changes = callingUser.map { user in changes.map { $0.caused(by: user) } } ?? changes
        emit(.commit(inFlight.add(change), changes))
    }

    mutating func nextSubmission() -> SubmissionNumber {
        lastSubmission = SubmissionNumber(rawValue: lastSubmission.rawValue + 1)
        return lastSubmission
    }

    /// Adds a state of the plugin without pending work, unless the scheduler already has a state of the plugin.
    mutating func know(_ plugin: PluginIdentifier) {
        let policy = configuration.plugins[plugin]
        guard plugins.add(plugin, policy: policy ?? PluginPolicy()) else { return }
        takeUpUse(of: plugin)
        setRefusal(of: plugin)
    }

    // MARK: After each event

    private mutating func workOff(at now: Moment) {
        var left = Self.slice
        while left > 0, let chore = backlog.next() {
            left -= 1
            switch chore {
            case .evaluation(let plugin): evaluateInstalled(of: plugin, now)
            case .consider(let plugin, let lane): consider(plugin, lane, at: now)
            case .reckonAnew(let plugin): reckonAnew(plugin, at: now)
            case .fillCapacity(let lane): fillCapacity(of: lane, at: now)
            }
        }
        if !backlog.isEmpty { agenda.add(.backlog, at: now.monotonic) }
    }

    /// Reports the end of an orderly stop, once. A failing ledger does not prevent the report: launches whose end is
    /// not recorded are recovered at the next start.
    private mutating func reportStopped(at now: Moment) {
        guard isStopping, !hasStopped else { return }
        let isOver = stopBy.map { $0 <= now.monotonic } ?? false
        let isRecorded = launches.isEmpty && inFlight.isEmpty
        guard isRecorded || isOver && launches.values.allSatisfy(\.hasEnded) else { return }
        hasStopped = true
        emit(.stopped)
    }

    /// Updates the alarms and the kill times of the launches whose limits the current event may have changed.
    private mutating func updateLimits() {
        for number in toEnforceAnew.count > 1 ? toEnforceAnew.sorted() : Array(toEnforceAnew) {
            guard let launch = launches.find(number) else { continue }
            let next = launch.nextKillTime
            if next != launch.sentKillTime {
                launches.update(number) { $0.sentKillTime = next }
                if launch.plan != nil { emit(.setKillTime(number, next)) }
            }
            if let next = launch.nextEnforcement { agenda.add(.launch(number), at: next) }
        }
        toEnforceAnew.removeAll(keepingCapacity: true)
    }

    private mutating func updateWake(at now: Moment) {
        dropVainAlarms()
        let wake = (monotonic: agenda.firstMonotonic?.time, wall: agenda.firstWall?.time)
        if wake == lastWake { return }
        lastWake = wake
        emit(.wake(monotonic: wake.monotonic, wall: wake.wall))
    }
}

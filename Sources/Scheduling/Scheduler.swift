// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Decides what runs, when, together with what, and what becomes of it. Touches no file, clock, thread or process.
///
/// An event and the moment go in, the actions that follow from it come out. The state holds what the ledger holds, with
/// the changes in flight laid over it: a change is applied when its commit succeeded, and dropped when it failed, so that
/// memory and ledger never part. Launches are the exception: what became of a delivered task is known at once, and written
/// until it is written.
///
/// No event costs more than what it concerns: requests are grouped by what they wait for, everything is looked up, and what
/// concerns many plugins is worked off in slices.
package struct Scheduler: Sendable {
    package let configuration: SchedulingConfiguration
    package internal(set) var conditions: Conditions
    package internal(set) var isStopping = false

    var plugins = PluginTable()
    var launches = LaunchTable()
    var inFlight = InFlightTable()
    /// What was asked of a plugin and waits for a commit.
    var waiting = WaitingOperations()
    var loading: LoadState
    var agenda = Agenda()
    var backlog = Backlog()
    /// Plugins whose next launch waits for capacity.
    var capacity: [Lane: CapacityQueue] = [:]
    var waiters = ConditionWaiters()

    var owners = IdentifierOwners()
    /// Plugins that may have requests under identifiers that others own, or nobody.
    var strays: [TaskIdentifier: Set<PluginIdentifier>] = [:]
    var extensions: [PluginIdentifier: Set<PluginIdentifier>] = [:]
    /// Use of plugins that were forgotten, as the ledger would tell the next host.
    var usesOfForgotten: [PluginIdentifier: PluginUse] = [:]

    var lastSubmission: SubmissionNumber
    var lastLaunch: LaunchNumber
    /// Pending requests of the plugins that are loaded.
    package internal(set) var pendingCount = 0
    /// Waiting events of the plugins that are loaded.
    package internal(set) var waitingEventCount = 0
    /// Plugins that are installed.
    package internal(set) var installedCount = 0

    /// Launches of a plugin that have not ended, those for events left out.
    var launchesAtWork: [PluginIdentifier: Int] = [:]
    /// Plugins that the event being handled may have changed so that the machine is watched for them, or no longer.
    var toWatchAnew: Set<PluginIdentifier> = []
    var lastWatch = Watch()
    /// Plugins with health research that waits or runs.
    var studying: Set<PluginIdentifier> = []
    /// Launches that the event being handled may have changed the limits of.
    var toEnforceAnew: Set<LaunchNumber> = []

    var fetches: [PluginIdentifier: FetchSchedule] = [:]
    /// Plugins whose legacy fetch is due but for the network.
    var fetchesWithoutNetwork: Set<PluginIdentifier> = []
    /// The occasion of each schedule that was last acted on, or passed over.
    var occasions: [TaskIdentifier: WallTime] = [:]
    var surges = Surges()
    var lastWall: WallTime
    /// When memory pressure may end the next continued task.
    var pressureRelief: MonotonicTime?
    /// Changes that could not be written yet, to be written again.
    var kept: [LedgerChange] = []
    var hasCatalogue = false
    /// The manifests that are refused now.
    var refusals: [PluginIdentifier: Catalogue.Refusal] = [:]
    /// Refused manifests that the journal has, beside those that took a plugin out.
    var journaledRefusals: [PluginIdentifier: String] = [:]
    var hasStopped = false
    /// When a stop no longer waits for the ledger.
    var stopBy: MonotonicTime?

    /// The user whose call is being handled; nil in every other event.
    var callingUser: CallingUser?

    private var actions: [SchedulerAction] = []
    private var lastWake: (monotonic: MonotonicTime?, wall: WallTime?) = (nil, nil)

    /// Chores that one event works off.
    private static let slice = 64

    /// The processes of launches that `snapshot` shows as running must be gone; their tasks return once their plugin is
    /// loaded and catalogued.
    package init(
        configuration: SchedulingConfiguration,
        conditions: Conditions,
        snapshot: LedgerSnapshot,
        at now: Moment
    ) {
        self.configuration = configuration
        self.conditions = conditions
        lastSubmission = snapshot.lastSubmission
        lastLaunch = snapshot.lastLaunch
        lastWall = now.wall
        loading = LoadState(snapshot)
        restore(snapshot)
    }

    package mutating func handle(_ event: SchedulerEvent, at now: Moment) -> [SchedulerAction] {
        if now.wall < lastWall { clockWasSetBack() }
        lastWall = now.wall
        dispatch(event, at: now)
        workOff(at: now)
        load()
        reportStopped(at: now)
        updateLimits()
        updateWatch()
        updateWake(at: now)
        defer { actions = [] }
        return actions
    }

    mutating func emit(_ action: SchedulerAction) { actions.append(action) }

    /// Commits `changes` and remembers what they mean until the result is known.
    mutating func stage(_ change: StagedChange, _ changes: [LedgerChange]) {
        let changes = callingUser.map { user in changes.map { $0.caused(by: user) } } ?? changes
        emit(.commit(inFlight.add(change), changes))
    }

    mutating func nextSubmission() -> SubmissionNumber {
        lastSubmission = SubmissionNumber(rawValue: lastSubmission.rawValue + 1)
        return lastSubmission
    }

    /// The state of a plugin, which is added if it is not known yet.
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
            case .look(let plugin): look(at: plugin, now)
            case .consider(let plugin, let lane): consider(plugin, lane, at: now)
            case .reckonAnew(let plugin): reckonAnew(plugin, at: now)
            case .fillCapacity(let lane): fillCapacity(of: lane, at: now)
            }
        }
        if !backlog.isEmpty { agenda.add(.backlog, at: now.monotonic) }
    }

    /// A ledger that fails keeps no host from stopping: what it does not hold is found running at the next start.
    private mutating func reportStopped(at now: Moment) {
        guard isStopping, !hasStopped else { return }
        let isOver = stopBy.map { $0 <= now.monotonic } ?? false
        let isRecorded = launches.isEmpty && inFlight.isEmpty
        guard isRecorded || isOver && launches.values.allSatisfy(\.hasEnded) else { return }
        hasStopped = true
        emit(.stopped)
    }

    /// The agenda and the launch thread learn the limits of the launches that the event changed.
    private mutating func updateLimits() {
        for number in toEnforceAnew.count > 1 ? toEnforceAnew.sorted() : Array(toEnforceAnew) {
            guard let launch = launches.find(number) else { continue }
            let kill = launch.nextKill
            if kill != launch.killTime {
                launches.update(number) { $0.killTime = kill }
                if launch.plan != nil { emit(.setKillTime(number, kill)) }
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

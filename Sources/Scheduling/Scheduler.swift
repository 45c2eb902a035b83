// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Decides what runs, when, together with what, and what becomes of it. Touches no file, clock, thread or process.
///
/// An event and the moment go in, the actions that follow from it come out. The state holds what the ledger holds, plus
/// what is on its way there: a change is applied when its commit succeeded, and dropped when it failed, so that memory and
/// ledger never part. Launches are the exception that proves it: what became of a delivered task is known at once, and
/// written until it is written.
package struct Scheduler: Sendable {
    package let configuration: SchedulingConfiguration
    package internal(set) var conditions: Conditions
    package internal(set) var isStopping = false

    var plugins: [PluginIdentifier: PluginState] = [:]
    /// What those that were forgotten had used of their day, as the ledger would tell the next host.
    var usesOfForgotten: [PluginIdentifier: PluginUse] = [:]
    var owners = IdentifierOwners()
    var launches: [LaunchNumber: LaunchState] = [:]
    var launchesInLane: [Lane: Int] = [:]
    var agenda = Agenda()
    /// How many wall alarms may gather before those that mean nothing any more are discarded.
    var alarmsBeforeDiscard = 1_024

    var staged: [Ticket: StagedChange] = [:]
    var lastTicket = Ticket(rawValue: 0)
    var lastSubmission: SubmissionNumber
    var lastLaunch: LaunchNumber

    /// What is to be taken back as soon as the commits about it are known.
    var waitingCancellations: [Cancellation] = []
    /// What a person wants stopped as soon as it is known whether it runs.
    var waitingStops: [(identifier: TaskIdentifier, reply: ReplyToken)] = []
    /// Plugins whose next launch waits for a place.
    var waitingForRoom: [Lane: WaitingRoom] = [:]
    /// Plugins with something that waits for the machine.
    var waitingForConditions: Set<PluginIdentifier> = []
    /// How many launches of a plugin, those for events left out, have not ended.
    var launchesAtWork: [PluginIdentifier: Int] = [:]
    /// Plugins of which something came or went in the event under way that the machine may be watched for.
    var toWatchAnew: Set<PluginIdentifier> = []
    var lastWatch = Watch()
    /// Those whose legacy fetch is due but for the network.
    var fetchesWithoutNetwork: Set<PluginIdentifier> = []
    var fetches: [PluginIdentifier: FetchSchedule] = [:]
    /// The occasion of each schedule that was last acted on, or passed over.
    var occasions: [TaskIdentifier: WallTime] = [:]
    /// Those whose occasion is being written together with its request.
    var occasionsUnderWay: Set<TaskIdentifier> = []
    var surges = Surges()
    /// Plugins with health research that waits or runs.
    var studying: Set<PluginIdentifier> = []
    var lastWall: WallTime
    /// Set back since the agenda was last looked at: what was reckoned from later moments is to be reckoned anew.
    var wasSetBack = false
    /// When memory pressure may end the next continued task.
    var pressureRelief: MonotonicTime?
    var hasCatalogue = false
    /// What the journal has of refused manifests that no plugin's going tells of.
    var toldRefusals: [PluginIdentifier: String] = [:]
    var hasStopped = false
    /// When a stop no longer waits for the ledger.
    var stopBy: MonotonicTime?

    private var actions: [SchedulerAction] = []
    private var lastWake: (monotonic: MonotonicTime?, wall: WallTime?) = (nil, nil)

    /// Launches that `snapshot` shows as running must have no process left; their tasks return with the first catalogue.
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
        restore(snapshot, at: now)
    }

    package mutating func handle(_ event: SchedulerEvent, at now: Moment) -> [SchedulerAction] {
        actions.removeAll(keepingCapacity: true)
        if now.wall < lastWall { wasSetBack = true }
        lastWall = now.wall
        dispatch(event, at: now)
        reportStopped(at: now)
        updateWatch()
        updateWake()
        return actions
    }

    private mutating func dispatch(_ event: SchedulerEvent, at now: Moment) {
        switch event {
        case .submitted(let submission, let reply): submit(submission, for: .caller(reply), at: now)
        case .triggered(let trigger, let reply): self.trigger(trigger, reply: reply, at: now)
        case .cancelRequested(let identifier, let plugin, let reply):
            cancel(identifier, of: plugin, reply: reply, at: now)
        case .cancelAllRequested(let plugin, let reply): cancelAll(of: plugin, reply: reply, at: now)
        case .launchSimulated(let identifiers, let reply): simulateLaunch(of: identifiers, reply: reply, at: now)
        case .expirationSimulated(let identifier, let reply): simulateExpiration(of: identifier, reply: reply, at: now)
        case .taskStopRequested(let identifier, let reply): stopTask(identifier, reply: reply, at: now)
        case .purgeRequested(let plugin, let reply): purge(plugin, reply: reply, at: now)
        case .committed(let ticket):
            settle(ticket, at: now)
            resumeCancellations(at: now)
            resumeStops(at: now)
        case .commitFailed(let ticket, let message):
            takeBack(ticket, because: message, at: now)
            resumeCancellations(at: now)
            resumeStops(at: now)
        case .catalogued(let entries, let refused, let orphans):
            catalogue(entries, refused: refused, orphans: orphans, at: now)
        case .conditionsChanged(let new): change(to: new, at: now)
        case .resumed: surge(\.resume, at: now)
        case .timerFired: lookAtAgenda(at: now)
        case .stopRequested: stop(at: now)
        case .runnerReady(let launch, let process): start(launch, in: process, at: now)
        case .runnerUnavailable(let launch, let message):
            // Later its commit is under way, and has the only word on whether there is a launch.
            guard launches[launch]?.phase == .preparing else { return }
            giveUp(launch, because: message, at: now)
        case .entered, .registered, .progressed, .fetchIntervalSet, .loadFailed, .completed, .returned,
            .expirationHandlerChanged,
            .runnerExpired, .assertionBegan,
            .assertionEnded, .violated:
            hear(event, at: now)
        case .planNotSent(let launch, let message): abandonPlan(of: launch, because: message)
        // No kill time is set yet: every kill is decided when the timer fires.
        case .killedAtDeadline: break
        case .runnerEnded(let launch, let termination, let words):
            conclude(launch, termination: termination, lastWords: words, at: now)
        }
    }

    mutating func emit(_ action: SchedulerAction) { actions.append(action) }

    /// Commits `changes` and remembers what they mean until the result is known.
    @discardableResult
    mutating func stage(_ change: StagedChange, _ changes: [LedgerChange]) -> Ticket {
        lastTicket = Ticket(rawValue: lastTicket.rawValue + 1)
        staged[lastTicket] = change
        emit(.commit(lastTicket, changes))
        return lastTicket
    }

    private mutating func updateWake() {
        dropVainAlarms()
        let wake = (monotonic: agenda.firstMonotonic?.time, wall: agenda.firstWall?.time)
        if wake == lastWake { return }
        lastWake = wake
        emit(.wake(monotonic: wake.monotonic, wall: wake.wall))
    }

    /// A ledger that fails keeps no host from stopping: what it does not hold is found running at the next start.
    private mutating func reportStopped(at now: Moment) {
        guard isStopping, !hasStopped else { return }
        let isOver = stopBy.map { $0 <= now.monotonic } ?? false
        let isRecorded = launches.isEmpty && staged.isEmpty
        guard isRecorded || isOver && launches.values.allSatisfy({ $0.phase == .ended }) else { return }
        hasStopped = true
        emit(.stopped)
    }
}

/// What a commit under way will mean once it is on disk.
enum StagedChange: Sendable {
    case submission(PendingRequest, replacing: SubmissionNumber?, for: SubmissionAsker, from: LaunchNumber?)
    case trigger(PendingEvent, reply: ReplyToken)
    /// An event that nobody is answered for.
    case arrival(PendingEvent)
    case cancellation(of: PluginIdentifier, [PendingRequest], running: [RunningTask], reply: ReplyToken)
    /// A plugin is remembered as it is now, with the event that tells it so, if any.
    case welcome(of: PluginIdentifier, as: KnownPlugin, PendingEvent?)
    case launchStart(LaunchNumber)
    /// One more task for a launch that runs.
    case delivery(LaunchNumber, PlannedTask)
    case launchRecord(LaunchNumber)
    /// A plugin is remembered as missing.
    case leave(of: PluginIdentifier, as: KnownPlugin)
    /// What a removed plugin had pending is dropped for good.
    case clearance(Clearance)
    /// What a request waits for; forgotten when it could not be written, so that the next look writes it.
    case wait(PendingWork)
    /// A request, as it was, is held back by what is soft alone.
    case hold(PendingRequest, since: WallTime)
    /// Nothing waits for it; written until it is written.
    case keeping([LedgerChange])
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// The history of a replay, built from the ledger changes and the actions of the scheduler. Waits and their reasons are
/// taken from the ledger changes; the replay does not compute them itself.
package struct ReplayRecord: Sendable {
    struct RecordedLaunch: Sendable {
        let number: LaunchNumber
        /// The main plugin of the launch. If an extension is launched, this is the main plugin of the extension.
        let plugin: PluginIdentifier
        let lane: Lane
        let cause: LaunchCause
        let tasks: [String]
        let start: WallTime
        let budget: Duration?
        var end: WallTime?
        var used: Duration?
        var outcome: LaunchOutcome?
    }

    struct Wait: Sendable {
        let plugin: PluginIdentifier
        let reasons: [String]
        let span: Range<WallTime>
    }

    struct Expiration: Sendable {
        let plugin: PluginIdentifier
        let at: WallTime
        let reason: ExpirationReason
        let tasks: Int
    }

    let length: ReplayScenario.Length
    let traceName: String
    let seed: UInt64
    let period: Range<WallTime>
    let conditions: [Condition: ConditionSpans]
    let suspended: ConditionSpans
    let dayBudgets: [PluginIdentifier: Duration]
    /// Main plugins in the order of display.
    let plugins: [PluginIdentifier]

    private(set) var tallies: [PluginIdentifier: PluginTally]
    private(set) var launches: [RecordedLaunch] = []
    private(set) var waits: [Wait] = []
    private(set) var expirations: [Expiration] = []

    private let mains: [PluginIdentifier: PluginIdentifier]
    private let owners: [TaskIdentifier: PluginIdentifier]
    private var places: [LaunchNumber: Int] = [:]
    private var open: [WaitKey: (reasons: [String], since: WallTime)] = [:]
    /// Time at which interrupted work was last requeued, by submission.
    private var returns: [SubmissionNumber: WallTime] = [:]
    private var asked: [ReplyToken: TaskIdentifier] = [:]

    init(_ scenario: ReplayScenario, _ trace: UnfoldedTrace) {
        let models = scenario.population.plugins
        length = scenario.length
        traceName = scenario.trace.name
        seed = scenario.seed
        period = scenario.period
        conditions = trace.conditions
        suspended = trace.suspended
        plugins = models.map(\.identifier)
        tallies = Dictionary(models.map { ($0.identifier, PluginTally()) }) { first, _ in first }
        let configuration = scenario.configuration
        dayBudgets = Dictionary(
            models.map {
                let own = configuration.policy(for: $0.identifier).dayBudget
                return ($0.identifier, own ?? configuration.policies.dayBudget)
            }
        ) { first, _ in first }
        mains = Dictionary(
            models.flatMap { plugin in
                [(plugin.identifier, plugin.identifier)] + plugin.extensions.map { ($0.identifier, plugin.identifier) }
            }
        ) { first, _ in first }
        owners = Dictionary(models.flatMap { plugin in plugin.tasks.map { ($0.identifier, plugin.identifier) } }) {
            first,
            _ in first
        }
    }

    /// Codes of the reasons that block each class of work now.
    var openReasons: [WaitKey: Set<String>] { open.mapValues { Set($0.reasons) } }

    // MARK: Actions and changes

    mutating func expect(_ reply: ReplyToken, about identifier: TaskIdentifier) { asked[reply] = identifier }

    mutating func note(_ action: SchedulerAction, at now: Moment) {
        switch action {
        case .commit(_, let changes): for change in changes { note(change, at: now) }
        case .answer(let reply, let answer):
            guard let identifier = asked.removeValue(forKey: reply), case .refused = answer else { return }
            tally(owners[identifier]) { $0.refusals += 1 }
        case .expire(let number, let tasks, let reason):
            guard let plugin = places[number].map({ launches[$0].plugin }) else { return }
            expirations.append(Expiration(plugin: plugin, at: now.wall, reason: reason, tasks: tasks.count))
            tally(plugin) { $0.expirations[reason.name, default: 0] += tasks.count }
        case .load, .takeRunner, .discardContainer, .dismissRunner, .confineRunner, .sendPlan, .deliver, .yieldCursor,
            .expireAssertions, .stop, .sweepTransfers, .kill, .setKillTime, .wake, .watch, .stopped:
            break
        }
    }

    /// Closes all open waits at the end of the replay.
    mutating func close(at end: WallTime) {
        let keys = open.keys.sorted { ($0.plugin.text, $0.workClass.code) < ($1.plugin.text, $1.workClass.code) }
        for key in keys { closeWait(of: key, at: end) }
    }

    private mutating func note(_ change: LedgerChange, at now: Moment) {
        switch change {
        case .storeRequest(let request, _): tally(request.plugin) { $0.requests += 1 }
        case .storeEvent(let event, _): tally(event.plugin) { $0.events += 1 }
        case .startLaunch(let plan): start(plan)
        case .startTask(_, let task): begin(task.work, at: now.wall)
        case .requeueTask(_, let work, _): returns[work.number] = now.wall
        case .recordWait(let key, let reasons, let at):
            closeWait(of: key, at: at)
            if !reasons.isEmpty { open[key] = (reasons, at) }
        case .endLaunch(let number, let end): self.end(number, end)
        case .journal(let entry):
            guard case .task(let outcome) = entry.event, let plugin = entry.plugin else { return }
            tally(plugin) { $0.outcomes[outcome.rawValue, default: 0] += 1 }
        case .removeRequest, .removeEvent, .moveLaunch, .endTask, .storeCursor, .dropCursor, .restart, .setStandstills,
            .forbidRequeue, .setDeferrals, .setFetch,
            .recordOccurrence, .rememberPlugin, .forgetPlugin, .setPause, .setUses, .countPushes, .keepPushAnswer,
            .changePushToken, .storeTransfer, .takeTransfer, .dropTransfers, .raiseIncarnation, .storeAlert, .showAlert,
            .showNotification, .storeLease, .removeLease:
            break
        }
    }

    private mutating func start(_ plan: LaunchPlan) {
        guard let plugin = mains[plan.plugin.identifier] else { return }
        places[plan.number] = launches.count
        launches.append(
            RecordedLaunch(
                number: plan.number,
                plugin: plugin,
                lane: plan.lane,
                cause: plan.cause,
                tasks: plan.tasks.map(\.work.label),
                start: plan.startedAt,
                budget: plan.budget.total
            )
        )
        for task in plan.tasks { begin(task.work, at: plan.startedAt) }
        if plan.lane == .event { return }
        tally(plugin) { tally in
            tally.launches += 1
            tally.tasks += plan.tasks.count
            tally.batches += plan.tasks.count > 1 ? 1 : 0
            tally.largestBatch = max(tally.largestBatch, plan.tasks.count)
        }
    }

    private mutating func end(_ number: LaunchNumber, _ end: LaunchEnd) {
        guard let place = places[number] else { return }
        launches[place].end = end.at
        launches[place].used = end.used
        launches[place].outcome = end.outcome
        let (lane, used) = (launches[place].lane, end.used ?? .zero)
        tally(launches[place].plugin) { tally in
            if end.outcome == .overran { tally.overruns += 1 }
            tally.ran += used
            if lane == .background { tally.noteBackground(used, at: end.at) }
        }
    }

    // MARK: Waiting

    private mutating func begin(_ work: PendingWork, at start: WallTime) {
        guard case .request = work else { return }
        let wait = max(.zero, start - readiness(of: work))
        tally(work.plugin) { $0.waits.append(wait) }
    }

    private mutating func closeWait(of key: WaitKey, at end: WallTime) {
        guard let wait = open.removeValue(forKey: key), wait.since < end, let plugin = mains[key.plugin] else { return }
        // While the machine is suspended, no reason blocks the work.
        let parts = suspended.parts(of: wait.since..<end)
        waits += parts.map { Wait(plugin: plugin, reasons: wait.reasons, span: $0) }
        let length = parts.reduce(Duration.zero) { $0 + ($1.upperBound - $1.lowerBound) }
        tally(plugin) { tally in
            for reason in wait.reasons { tally.waitsByReason[reason, default: .zero] += length }
        }
    }

    /// The time from which the work could run: the latest of its submission, earliest begin, end of the retry delay and
    /// requeueing.
    private func readiness(of work: PendingWork) -> WallTime {
        let times: [WallTime?] =
            switch work {
            case .request(let request):
                [request.submittedAt, request.request.earliestBegin, request.retry.notBefore]
            case .event(let event): [event.createdAt, event.retry.notBefore]
            }
        return (times + [returns[work.number]]).compactMap(\.self).max() ?? period.lowerBound
    }

    private mutating func tally(_ plugin: PluginIdentifier?, _ body: (inout PluginTally) -> Void) {
        guard let main = plugin.flatMap({ mains[$0] }) else { return }
        body(&tallies[main, default: PluginTally()])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskLedger
import TaskModel

/// Counts the changes that the ledger has recorded since the host started. No count ever falls. The cost of a change
/// does not depend on the number of plugins and requests.
struct LaunchTally: Sendable {
    private struct Running: Sendable {
        let plugin: String
        var lane: Lane
        let budget: Duration?
        var tasks: [SubmissionNumber: (kind: TaskKind, startedAt: WallTime)] = [:]
    }

    private(set) var delays: [TaskSeries: MetricHistogram] = [:]
    private(set) var waits: [TaskSeries: MetricHistogram] = [:]
    private(set) var runs: [OutcomeSeries: MetricHistogram] = [:]
    private(set) var outcomes: [OutcomeSeries: UInt64] = [:]
    private(set) var launches: [LaunchEndSeries: UInt64] = [:]
    private(set) var budgetUses: [LaunchSeries: MetricHistogram] = [:]
    private(set) var overruns: [LaunchSeries: MetricHistogram] = [:]
    private(set) var events: [EventSeries: UInt64] = [:]
    private(set) var pushes: [PushFate: Int] = [:]
    private(set) var transfers: [TransferSeries: UInt64] = [:]
    /// The bytes of finished transfers.
    private(set) var transferBytes: [TransferDescription.Direction: UInt64] = [:]
    private(set) var commitTimes = MetricHistogram(.durations)
    private(set) var commitBatches = MetricHistogram(.sizes)

    private var plugins = PluginLabels()
    /// The launches that this host process started and whose end is not recorded.
    private var running: [LaunchNumber: Running] = [:]

    /// Counts a group of commits.
    ///
    /// - Parameter now: the time at which the group was written; the plans of its launches are sent then.
    mutating func observe(_ group: CommittedGroup, at now: WallTime) {
        commitTimes.observe(group.duration)
        commitBatches.observe(Double(group.commits))
        for changes in group.changes {
            for change in changes { observe(change, at: now) }
        }
        for entry in group.added { count(entry) }
    }

    private mutating func observe(_ change: LedgerChange, at now: WallTime) {
        switch change {
        case .startLaunch(let plan):
            let label = plugins.label(of: plan.plugin.identifier)
            running[plan.number] = Running(plugin: label, lane: plan.lane, budget: plan.budget.total)
            for task in plan.tasks { start(task, in: plan.number, at: now) }
        case .startTask(let number, let task): start(task, in: number, at: now)
        case .moveLaunch(let number, let lane): running[number]?.lane = lane
        case .endLaunch(let number, let end): measure(end, of: number)
        case .journal(let entry):
            count(entry)
            switch entry.event {
            case .task(let outcome): end(outcome, entry)
            case .launch(let outcome): end(outcome, entry)
            default: break
            }
        case .countPushes(_, let sum):
            // Counted now: the entry about these pushes follows in a commit that subtracts the sum.
            for (fate, count) in sum.counts where count != 0 { pushes[fate, default: 0] += count }
        case .storeTransfer(let transfer): count(transfer)
        case .storeRequest, .removeRequest, .storeEvent, .removeEvent, .endTask, .requeueTask, .storeCursor,
            .dropCursor, .restart, .setStandstills, .forbidRequeue, .recordWait, .setDeferrals, .setFetch,
            .recordOccurrence, .rememberPlugin, .forgetPlugin, .setPause, .setUses, .keepPushAnswer,
            .changePushToken, .takeTransfer, .dropTransfers, .raiseIncarnation, .storeAlert, .showAlert,
            .showNotification, .storeLease, .removeLease:
            break
        }
    }

    private mutating func start(_ task: PlannedTask, in number: LaunchNumber, at now: WallTime) {
        guard let plugin = running[number]?.plugin else { return }
        let work = task.work
        running[number]?.tasks[work.number] = (work.kind, now)
        let series = TaskSeries(plugin: plugin, kind: work.kind.name)
        waits[series, default: MetricHistogram(.durations)].observe(now - work.pendingSince)
        if let since = task.eligibleSince {
            delays[series, default: MetricHistogram(.durations)].observe(now - since)
        }
    }

    private mutating func count(_ entry: JournalEntry) {
        events[EventSeries(event: entry.event.name, blame: entry.blame), default: 0] += 1
        if let (fate, count) = entry.pushes { pushes[fate, default: 0] += count }
    }

    /// Counts a transfer that has ended. Its end is stored once; before it, the transfer is stored as waiting.
    private mutating func count(_ transfer: Transfer) {
        guard transfer.endedAt != nil else { return }
        let result = transfer.state == .failed ? transfer.fault?.name : nil
        let series = TransferSeries(direction: transfer.direction, result: result ?? transfer.state.name)
        transfers[series, default: 0] += 1
        if transfer.state == .finished { transferBytes[transfer.direction, default: 0] &+= transfer.bytes }
    }

    private mutating func end(_ outcome: TaskOutcome, _ entry: JournalEntry) {
        guard let plugin = entry.plugin else { return }
        let launch = entry.launch.flatMap { running[$0] }
        let task = entry.submission.flatMap { launch?.tasks[$0] }
        let series = TaskSeries(
            plugin: launch?.plugin ?? plugins.label(of: plugin),
            kind: task?.kind.name ?? PluginLabels.unknown
        )
        outcomes[OutcomeSeries(task: series, outcome: outcome, blame: entry.blame), default: 0] += 1
        guard let task else { return }
        runs[OutcomeSeries(task: series, outcome: outcome), default: MetricHistogram(.durations)]
            .observe(entry.at - task.startedAt)
    }

    private mutating func measure(_ end: LaunchEnd, of number: LaunchNumber) {
        guard let launch = running[number], let used = end.used, let budget = launch.budget, budget > .zero else {
            return
        }
        let series = LaunchSeries(plugin: launch.plugin, lane: launch.lane.name)
        budgetUses[series, default: MetricHistogram(.ratios)].observe(used / budget)
        if used > budget { overruns[series, default: MetricHistogram(.durations)].observe(used - budget) }
    }

    /// Counts the end of a launch by its journal entry, which follows the change `endLaunch` and has the plugin.
    private mutating func end(_ outcome: LaunchOutcome, _ entry: JournalEntry) {
        guard let plugin = entry.plugin else { return }
        let launch = entry.launch.flatMap { running.removeValue(forKey: $0) }
        let series = LaunchSeries(
            plugin: launch?.plugin ?? plugins.label(of: plugin),
            lane: launch?.lane.name ?? PluginLabels.unknown
        )
        launches[LaunchEndSeries(launch: series, outcome: outcome), default: 0] += 1
    }
}

extension PendingWork {
    /// The time of submission, or of the creation of an event.
    fileprivate var pendingSince: WallTime {
        switch self {
        case .request(let request): request.submittedAt
        case .event(let event): event.createdAt
        }
    }
}

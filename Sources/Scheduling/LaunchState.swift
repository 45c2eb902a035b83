// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// One launch from the wish for a runner to the record of its end.
struct LaunchState: Sendable {
    enum Phase: Hashable, Sendable {
        /// A runner is being had; nothing is decided about the batch.
        case preparing
        /// The launch is being committed; no plan was sent.
        case starting
        /// Its plan was sent.
        case running
        /// Every task is over; the process is asked to leave.
        case finishing(by: MonotonicTime)
        case ended
    }

    enum Entry: Hashable, Sendable {
        case running
        case returned
        case failed(status: Int32)
        case notLoaded(message: String)
    }

    enum KillReason: Hashable, Sendable {
        case overran
        case entryOverran
        case entryFailed
        case lingered
        case hostStopping
        /// The host could not hand over the plan.
        case planNotSent(String)
    }

    struct Task: Sendable {
        let id: TaskID
        let work: PendingWork
        var outcome: TaskOutcome?
        var expiration: (reason: ExpirationReason, killAt: MonotonicTime)?
        var hasExpirationHandler = false
        var wasCancelled = false
    }

    let number: LaunchNumber
    let plugin: PluginIdentifier
    let lane: Lane
    var phase = Phase.preparing
    var plan: LaunchPlan?
    var tasks: [Task] = []
    var assertions = OpenAssertions()
    var entry = Entry.running
    /// As they were when the batch was closed.
    var conditionsAtClose: Conditions?
    var isBudgetUsedUp = false
    var killReason: KillReason?
    /// The earliest alarm that is on the agenda for it.
    var alarmAt: MonotonicTime?
    var violations = 0
    /// Set when the process ended while its launch was still being committed.
    var endedEarly: (termination: ProcessTermination, lastWords: LastWords?)?
    var record = LaunchRecord()

    init(number: LaunchNumber, plugin: PluginIdentifier, lane: Lane) {
        self.number = number
        self.plugin = plugin
        self.lane = lane
    }

    var unfinished: [Int] { tasks.indices.filter { tasks[$0].outcome == nil } }

    /// No task of it may go on.
    var isToldToStop: Bool { unfinished.allSatisfy { tasks[$0].expiration != nil } }

    /// When what was told to stop, tasks and assertions, is overdue.
    var kills: [MonotonicTime] {
        (unfinished.map { tasks[$0].expiration?.killAt } + [assertions.killAt]).compactMap { $0 }
    }

    /// What became of these may not be on disk yet.
    var unrecorded: [PendingWork] {
        record.isComplete ? [] : record.returning + tasks.filter { $0.outcome != nil }.map(\.work)
    }

    func index(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }

    /// When this launch is to be looked at next: a commit tried again puts no deadline off.
    var nextAlarm: MonotonicTime? { [record.retryAt, nextLimit].compactMap { $0 }.min() }

    private var nextLimit: MonotonicTime? {
        switch phase {
        case .preparing, .starting, .ended: return nil
        case .finishing(let by): return killReason == nil ? by : nil
        case .running:
            guard killReason == nil, let budget = plan?.budget else { return nil }
            return (kills + [isBudgetUsedUp ? budget.killDeadline : budget.deadline]).min()
        }
    }
}

/// What a launch still has to have written. One commit at a time, so that its story stays in order.
struct LaunchRecord: Sendable {
    /// Changes in order, with the work that is pending again once they are on disk.
    struct Step: Sendable {
        let changes: [LedgerChange]
        var returning: PendingWork?
    }

    var waiting: [Step] = []
    var underWay: (ticket: Ticket, steps: [Step])?
    /// When a failed commit is tried again.
    var retryAt: MonotonicTime?

    /// What will be pending again, unless something newer has taken its place.
    var returning: [PendingWork] { ((underWay?.steps ?? []) + waiting).compactMap(\.returning) }

    var isComplete: Bool { waiting.isEmpty && underWay == nil }
}

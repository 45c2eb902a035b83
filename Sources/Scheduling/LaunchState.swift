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
        /// A person stopped it while the plugin was in entry.
        var isToStop = false
        /// Of a continued task: what it last reported, how far it ever was, and when it counts as stalled.
        var progress: TaskProgress?
        var furthest: (done: Int64, fraction: Double) = (-1, -1)
        var stallsAt: MonotonicTime?

        var isContinued: Bool { work.kind == .continued }
        var isGoingOn: Bool { outcome == nil && expiration == nil }
    }

    let number: LaunchNumber
    let plugin: PluginIdentifier
    /// Where it takes room: a launch with a continued task leaves the lane that it began in (C8).
    var lane: Lane
    var phase = Phase.preparing
    var plan: LaunchPlan?
    var tasks: [Task] = []
    var assertions = OpenAssertions()
    var entry = Entry.running
    var registered: [PermittedIdentifier] = []
    /// Continued tasks on their way into it.
    var arriving: [PlannedTask] = []
    /// How many tasks it was ever meant to have: what failed to arrive leaves its number unused.
    var tasksHanded = 0
    /// Newer submissions of what it runs: these wait, run or have run in its place.
    var successors: [SubmissionNumber: SubmissionNumber] = [:]
    /// What newer submissions have under an identifier, and may not begin before the record of this launch is complete.
    var heldBack: [TaskIdentifier] = []
    /// Commits under way that decide what its end means for a task.
    var undecided = 0
    /// By when entry has to have returned.
    var entryDeadline: MonotonicTime?
    /// When what outlasts the last task of a launch without a budget is told to end.
    var assertionDeadline: MonotonicTime?
    /// As they were when the batch was closed.
    var conditionsAtClose: Conditions?
    var isBudgetUsedUp = false
    /// Continued tasks went on beyond its deadline, which binds nothing any more.
    var hasOutlivedBudget = false
    var killReason: KillReason?
    /// The earliest alarm that is on the agenda for it.
    var alarmAt: MonotonicTime?
    var violations = 0
    /// How often it asked for another interval of legacy fetch.
    var fetchIntervals = 0
    /// Set when the process ended while its launch was still being committed.
    var endedEarly: (termination: ProcessTermination, lastWords: LastWords?)?
    /// Set when the process ended while a commit that decides over its tasks was under way.
    var endedUndecided: (termination: ProcessTermination, lastWords: LastWords?)?
    var record = LaunchRecord()

    init(number: LaunchNumber, plugin: PluginIdentifier, lane: Lane) {
        self.number = number
        self.plugin = plugin
        self.lane = lane
    }

    /// What it will take is not on disk yet.
    var isUnderWay: Bool { phase == .preparing || phase == .starting }

    var unfinished: [Int] { tasks.indices.filter { tasks[$0].outcome == nil } }

    /// No task of it may go on.
    var isToldToStop: Bool { arriving.isEmpty && unfinished.allSatisfy { tasks[$0].expiration != nil } }

    /// When what was told to stop, tasks and assertions, is overdue.
    var kills: [MonotonicTime] {
        (unfinished.map { tasks[$0].expiration?.killAt } + [assertions.killAt]).compactMap { $0 }
    }

    /// When continued tasks count as stalled.
    var stalls: [MonotonicTime] {
        entry == .returned ? tasks.filter(\.isGoingOn).compactMap(\.stallsAt) : []
    }

    /// A continued task goes on, which no deadline ends.
    var hasContinuedWork: Bool { !arriving.isEmpty || unfinished.contains { tasks[$0].isContinued } }

    /// Something of it has to end with the budget.
    var isBoundByBudget: Bool {
        !hasOutlivedBudget && (!hasContinuedWork || unfinished.contains { !tasks[$0].isContinued })
    }

    /// A person started it, or it works on a person's behalf: it may submit continued requests (C8).
    var isForeground: Bool {
        plan?.cause == .person
            || tasks.contains { task in
                if case .event(let event) = task.work { return event.type == .trigger }
                return task.isContinued
            }
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
        case .finishing(let by): return killReason == nil && endedUndecided == nil ? by : nil
        case .running:
            guard killReason == nil, endedUndecided == nil, let budget = plan?.budget else { return nil }
            var limits = kills + stalls
            if let assertionDeadline, assertions.expiration == nil { limits.append(assertionDeadline) }
            if entry == .running, let entryDeadline {
                limits.append(isBudgetUsedUp ? entryDeadline + budget.grace : entryDeadline)
            } else if isBoundByBudget, let deadline = budget.deadline {
                limits.append(isBudgetUsedUp ? deadline + budget.grace : deadline)
            }
            return limits.min()
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

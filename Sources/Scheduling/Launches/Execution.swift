// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The tasks of a launch and their state, from sending the plan until the end of the process.
struct Execution: Sendable {
    /// The state of the plugin's entry function.
    enum Entry: Hashable, Sendable {
        /// The entry function is running. It has to return by `deadline` plus the grace period.
        case running(deadline: MonotonicTime)
        case returned
        case failed(status: Int32)
        case notLoaded(message: String)

        var isRunning: Bool { if case .running = self { true } else { false } }
    }

    enum KillReason: Hashable, Sendable {
        case overran
        case entryOverran
        case entryFailed
        case lingered
        case hostStopping
        /// The plan or a task could not be sent, or the library could not be loaded through no fault of the plugin.
        case hostFailed(String)
        /// The launch thread killed the launch at its kill time, before the host had read the messages that would have
        /// withdrawn the kill time.
        case killTimePassed
    }

    struct Task: Sendable {
        let id: TaskID
        let work: PendingWork
        var outcome: TaskOutcome?
        var expiration: (reason: ExpirationReason, killTime: MonotonicTime)?
        var hasExpirationHandler = false
        var wasCancelled = false
        /// The user whose call cancelled or stopped the task; nil when a plugin's call did, or none.
        var cancelledBy: CallingUser?
        /// Whether a user stopped the task while the entry function ran. The task is expired when entry returns.
        var isToStop = false
        /// The newest later submission with the same identifier; nil without one.
        var successor: SubmissionNumber?
        /// The last report of a continued task; nil before the first one. `furthest` is its furthest progress,
        /// `stallsAt` the time at which it counts as stalled.
        var progress: TaskProgress?
        var furthest: (done: Int64, fraction: Double) = (-1, -1)
        var stallsAt: MonotonicTime?

        var isContinued: Bool { work.kind == .continued }
        /// Records a cancellation of the task that is on disk.
        mutating func cancel(by user: CallingUser?) {
            wasCancelled = true
            cancelledBy = user
        }

        var isGoingOn: Bool { outcome == nil && expiration == nil }
    }

    var plan: LaunchPlan
    var tasks: [Task]
    /// The conditions of the machine when the batch was closed.
    let conditionsAtClose: Conditions
    var entry: Entry
    var registered: [PermittedIdentifier] = []
    var assertions = OpenAssertions()
    /// The time at which assertions are expired that outlast the last task of a launch without a budget; nil when no
    /// such limit applies.
    var assertionDeadline: MonotonicTime?
    var isBudgetUsedUp = false
    /// Whether continued tasks ran on past the deadline of the budget. The deadline then no longer applies to the
    /// launch.
    var hasOutlivedBudget = false
    var kill: KillReason?
    /// Continued tasks whose delivery is being committed.
    var arriving: [PlannedTask] = []
    /// Number of tasks ever assigned to the launch. A task whose delivery failed leaves its number unused.
    var tasksHanded: Int
    var violations = 0
    /// Number of calls by which the launch changed its interval of legacy fetch.
    var fetchIntervals = 0
    /// The journal lines that the calls of the launch cause.
    var lines = BoundedLines()
    /// The end of the launch's process; nil while the process runs. It is kept here until the commits in flight about
    /// tasks of the launch are decided.
    var end: ProcessEnd?
    /// Number of commits in flight that decide about tasks of the launch.
    var undecided = 0

    init(_ start: ScheduledLaunch.Start, plan: LaunchPlan) {
        self.plan = plan
        tasks = start.tasks
        conditionsAtClose = start.conditions
        entry = .running(deadline: plan.budget.entryDeadline)
        tasksHanded = start.tasks.count
    }

    var gracePeriod: Duration { plan.budget.gracePeriod }
    var unfinished: [Int] { tasks.indices.filter { tasks[$0].outcome == nil } }

    /// Whether messages of the launch's runner count. After a kill or the end of the process they do not (BGT-ABI-09).
    var isListening: Bool { kill == nil && end == nil }

    /// Whether every unfinished task was expired, and no task is being delivered.
    var isExpired: Bool { arriving.isEmpty && unfinished.allSatisfy { tasks[$0].expiration != nil } }

    /// Whether a continued task is unfinished or being delivered. No deadline ends such a task.
    var hasContinuedWork: Bool { !arriving.isEmpty || unfinished.contains { tasks[$0].isContinued } }

    /// Whether the launch has unfinished work that has to end with the budget.
    var isBoundByBudget: Bool {
        !hasOutlivedBudget && (!hasContinuedWork || unfinished.contains { !tasks[$0].isContinued })
    }

    /// Whether a user started the launch, or the launch works for a user. Only such a launch may submit continued
    /// requests (C8).
    var isForeground: Bool {
        plan.cause == .user
            || tasks.contains { task in
                if case .event(let event) = task.work { return event.type == .trigger }
                return task.isContinued
            }
    }

    /// Whether the expiration reason applies to the launch. `notIdle` does not apply to a launch that started while the
    /// machine was in use: at a user's request, or past its maximum deferral.
    func minds(_ reason: ExpirationReason) -> Bool { reason != .notIdle || conditionsAtClose.isIdle }

    func index(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }

    func index(ofUnfinished identifier: TaskIdentifier) -> Int? {
        tasks.firstIndex { $0.outcome == nil && $0.work.identifier == identifier }
    }
}

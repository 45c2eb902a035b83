// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The tasks of a launch whose plan was sent, from then until its process has ended.
struct Execution: Sendable {
    /// How far the plugin's entry has come.
    enum Entry: Hashable, Sendable {
        /// It has to return by then, plus the grace period.
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
        /// The host could not hand over the plan.
        case planNotSent(String)
        /// Its kill time passed before the host had read what would have withdrawn it.
        case killTimePassed
    }

    struct Task: Sendable {
        let id: TaskID
        let work: PendingWork
        var outcome: TaskOutcome?
        var expiration: (reason: ExpirationReason, killAt: MonotonicTime)?
        var hasExpirationHandler = false
        var wasCancelled = false
        /// The user whose call cancelled or stopped it; nil when a plugin did.
        var cancelledBy: CallingUser?
        /// A user stopped it while the plugin was in entry.
        var isToStop = false
        /// The newest submission that came after it under its identifier.
        var successor: SubmissionNumber?
        /// Of a continued task: its last report, how far it ever was, and when it counts as stalled.
        var progress: TaskProgress?
        var furthest: (done: Int64, fraction: Double) = (-1, -1)
        var stallsAt: MonotonicTime?

        var isContinued: Bool { work.kind == .continued }
        /// A cancellation of it is on disk.
        mutating func cancel(by user: CallingUser?) {
            wasCancelled = true
            cancelledBy = user
        }

        var isGoingOn: Bool { outcome == nil && expiration == nil }
    }

    var plan: LaunchPlan
    var tasks: [Task]
    /// Conditions when the batch was closed.
    let conditionsAtClose: Conditions
    var entry: Entry
    var registered: [PermittedIdentifier] = []
    var assertions = OpenAssertions()
    /// When what outlasts the last task of a launch without a budget is told to end.
    var assertionDeadline: MonotonicTime?
    var isBudgetUsedUp = false
    /// Continued tasks went on beyond its deadline, which binds nothing any more.
    var hasOutlivedBudget = false
    var kill: KillReason?
    /// Continued tasks whose delivery is being committed.
    var arriving: [PlannedTask] = []
    /// Tasks it was ever to have: what failed to arrive leaves its number unused.
    var tasksHanded: Int
    var violations = 0
    /// Times that it asked for another interval of legacy fetch.
    var fetchIntervals = 0
    /// Journal lines of its calls.
    var lines = BoundedLines()
    /// The process has ended while commits in flight decide what that means for its tasks.
    var end: ProcessEnd?
    /// Those commits.
    var undecided = 0

    init(_ start: Launch.Start, plan: LaunchPlan) {
        self.plan = plan
        tasks = start.tasks
        conditionsAtClose = start.conditions
        entry = .running(deadline: plan.budget.entryDeadline)
        tasksHanded = start.tasks.count
    }

    var grace: Duration { plan.budget.grace }
    var unfinished: [Int] { tasks.indices.filter { tasks[$0].outcome == nil } }

    /// Messages of its runner count: after the kill, and after the end of its process, nothing does (BGT-ABI-09).
    var isListening: Bool { kill == nil && end == nil }

    /// No task of it may go on.
    var isToldToStop: Bool { arriving.isEmpty && unfinished.allSatisfy { tasks[$0].expiration != nil } }

    /// A continued task goes on, which no deadline ends.
    var hasContinuedWork: Bool { !arriving.isEmpty || unfinished.contains { tasks[$0].isContinued } }

    /// Something of it has to end with the budget.
    var isBoundByBudget: Bool {
        !hasOutlivedBudget && (!hasContinuedWork || unfinished.contains { !tasks[$0].isContinued })
    }

    /// A user started it, or it works on a user's behalf: it may submit continued requests (C8).
    var isForeground: Bool {
        plan.cause == .person
            || tasks.contains { task in
                if case .event(let event) = task.work { return event.type == .trigger }
                return task.isContinued
            }
    }

    /// A launch of work that ran on a machine in use, at a user's request or past its deferral, does not mind that it is.
    func minds(_ reason: ExpirationReason) -> Bool { reason != .notIdle || conditionsAtClose.isIdle }

    func index(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }

    func index(ofUnfinished identifier: TaskIdentifier) -> Int? {
        tasks.firstIndex { $0.outcome == nil && $0.work.identifier == identifier }
    }
}

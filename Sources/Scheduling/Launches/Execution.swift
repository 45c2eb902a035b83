// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The tasks of a launch, from sending its plan until its process has ended.
struct Execution: Sendable {
    /// The state of the plugin's entry function.
    enum Entry: Hashable, Sendable {
        /// It has to return by `deadline` plus the grace period.
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
        /// Its kill time passed before the host had read the messages that would have withdrawn it.
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
        /// Whether a user stopped it while the entry function ran.
        var isToStop = false
        /// The newest later submission with its identifier.
        var successor: SubmissionNumber?
        /// For a continued task: its last report, its furthest progress, and the time at which it counts as stalled.
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
    /// The conditions when the batch was closed.
    let conditionsAtClose: Conditions
    var entry: Entry
    var registered: [PermittedIdentifier] = []
    var assertions = OpenAssertions()
    /// The time at which assertions expire that outlast the last task of a launch without a budget.
    var assertionDeadline: MonotonicTime?
    var isBudgetUsedUp = false
    /// Whether continued tasks ran on beyond the deadline of the budget, which then no longer applies.
    var hasOutlivedBudget = false
    var kill: KillReason?
    /// Continued tasks whose delivery is being committed.
    var arriving: [PlannedTask] = []
    /// Number of tasks ever assigned to the launch: a task whose delivery failed leaves its number unused.
    var tasksHanded: Int
    var violations = 0
    /// Number of its requests for another interval of legacy fetch.
    var fetchIntervals = 0
    /// Journal lines of its calls.
    var lines = BoundedLines()
    /// The end of its process, while commits in flight still decide about its tasks.
    var end: ProcessEnd?
    /// Number of those commits.
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

    /// Whether messages of its runner count: none do after the kill or the end of its process (BGT-ABI-09).
    var isListening: Bool { kill == nil && end == nil }

    /// Whether every unfinished task was expired and none is being delivered.
    var isToldToStop: Bool { arriving.isEmpty && unfinished.allSatisfy { tasks[$0].expiration != nil } }

    /// Whether a continued task is unfinished or being delivered; no deadline ends it.
    var hasContinuedWork: Bool { !arriving.isEmpty || unfinished.contains { tasks[$0].isContinued } }

    /// Whether the launch has work that has to end with the budget.
    var isBoundByBudget: Bool {
        !hasOutlivedBudget && (!hasContinuedWork || unfinished.contains { !tasks[$0].isContinued })
    }

    /// Whether a user started it, or it works for a user: only then may it submit continued requests (C8).
    var isForeground: Bool {
        plan.cause == .person
            || tasks.contains { task in
                if case .event(let event) = task.work { return event.type == .trigger }
                return task.isContinued
            }
    }

    /// Whether the expiration reason applies. `notIdle` does not apply to a launch that started on a machine in use, at
    /// a user's request or past its deferral.
    func minds(_ reason: ExpirationReason) -> Bool { reason != .notIdle || conditionsAtClose.isIdle }

    func index(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }

    func index(ofUnfinished identifier: TaskIdentifier) -> Int? {
        tasks.firstIndex { $0.outcome == nil && $0.work.identifier == identifier }
    }
}

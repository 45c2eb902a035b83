// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The tasks of a launch and their state, from the commit of the launch until the end of its process is judged.
struct Execution: Sendable {
    /// The state of the plugin's entry function.
    enum Entry: Hashable, Sendable {
        /// The entry function is running. It has to return before the end of the grace period after `deadline`.
        case running(deadline: MonotonicTime)
        case returned
        /// Entry failed with this status. `cause` names the refused call with the same status, or the flaw of the
        /// struct that entry filled; nil when there is neither.
        case failed(status: Int32, cause: String?)
        case notLoaded(message: String)

        var isRunning: Bool { if case .running = self { true } else { false } }
    }

    enum KillReason: Hashable, Sendable {
        case overran
        /// The launch was expired for the reserve of the disk, and less than half of the reserve is left.
        case leftDiskShort
        case entryOverran
        case entryFailed
        case lingered
        case hostStopping
        /// The launch used up the reserve of the disk before its entry function returned; the value is the message.
        case filledDisk(String)
        /// The launch failed through no fault of the plugin: see `SchedulerEvent.launchFailedByHost`, or the runner
        /// ended before the plan was sent. The value is the message.
        case hostFailed(String)
        /// The launch thread killed the launch at its kill time, before the host had read earlier messages of the
        /// runner. These messages would have withdrawn the kill time.
        case killTimePassed
    }

    struct Task: Sendable {
        let id: TaskID
        let work: PendingWork
        var outcome: TaskOutcome?
        var expiration: (reason: ExpirationReason, killTime: MonotonicTime)?
        /// Whether a user simulated the expiration, so that the budget of the launch is not used up.
        var isExpirationSimulated = false
        var hasExpirationHandler = false
        var wasCancelled = false
        /// The user whose call cancelled or stopped the task; nil when a plugin cancelled it, or when it was not
        /// cancelled.
        var cancelledBy: CallingUser?
        /// Whether a user stopped the task while the entry function ran. The task is expired when entry returns.
        var isToStop = false
        /// The newest request that was submitted with the task's identifier after the task; nil without one.
        var successor: SubmissionNumber?
        /// The last progress report of a continued task; nil before the first report. `furthest` is the furthest
        /// progress so far, `stallsAt` the time at which the task counts as stalled.
        var progress: TaskProgress?
        var furthest = FurthestProgress()
        var stallsAt: MonotonicTime?
        /// The reported end of the try of a transfer; nil before it.
        var transferEnd: TransferEnd?
        /// The content that a notification service extension set last; nil without a valid one.
        var content: NotificationContent?
        /// The cursor of the task; nil while it has none.
        var cursor: CursorState?

        var isContinued: Bool { work.kind == .continued }
        /// Whether the task has no budget, and reports progress instead.
        var reportsProgress: Bool { work.kind == .continued || work.kind == .transfer }
        /// The reason of the expiration, for messages; nil for a task that was not expired.
        var expirationName: String? {
            expiration.map { $0.reason.name + (isExpirationSimulated ? ", simulated" : "") }
        }
        /// Marks the task as cancelled. Called when the commit of its cancellation, or of a user's stop, has succeeded.
        mutating func cancel(by user: CallingUser?) {
            wasCancelled = true
            cancelledBy = user
        }

        var isGoingOn: Bool { outcome == nil && expiration == nil }
    }

    private let sharedPlan: Shared<LaunchPlan>
    var tasks: [Task]
    /// The conditions of the machine when the batch was closed.
    let conditionsAtClose: Conditions
    var entry: Entry
    var registered: [PermittedIdentifier] = []
    var assertions = OpenAssertions()
    /// The time at which the assertions that are still open after the last task expire; nil while the budget limits
    /// them, while a task is unfinished, and after they have expired at this time.
    var assertionDeadline: MonotonicTime?
    var isBudgetUsedUp = false
    /// Whether the launch outlived the deadline of its budget because of continued tasks. The deadline then no longer
    /// applies.
    var hasOutlivedBudget = false
    var kill: KillReason?
    /// Continued tasks whose delivery is being committed.
    var arriving: [PlannedTask] = []
    /// Number of tasks ever assigned to the launch, which is the index of the next task. A task whose delivery failed
    /// leaves its index unused.
    var tasksHanded: Int
    var violations = 0
    /// Number of calls by which the launch changed the plugin's interval of legacy fetch, including calls that were
    /// refused because there were too many.
    var fetchIntervals = 0
    /// The counts of the journal lines that the calls of the launch cause.
    var lines = BoundedLines()
    /// The end of the launch's process, if it is not judged yet; nil while the process runs. The end is judged when
    /// `undecided` is 0.
    var end: ProcessEnd?
    /// Number of commits in flight that cancel or stop a task of the launch, or deliver one to it. The end of the
    /// process is judged only when the number is 0.
    var undecided = 0

    init(_ start: ScheduledLaunch.Start, plan: LaunchPlan) {
        sharedPlan = Shared(plan)
        tasks = start.tasks
        conditionsAtClose = start.conditions
        entry = .running(deadline: plan.budget.entryDeadline)
        tasksHanded = start.tasks.count
    }

    var plan: LaunchPlan { sharedPlan.value }
    var gracePeriod: Duration { plan.budget.gracePeriod }
    var unfinished: [Int] { tasks.indices.filter { tasks[$0].outcome == nil } }

    /// Whether messages of the launch's runner count. They no longer count after the launch was killed or its process
    /// has ended (BGT-ABI-09).
    var isListening: Bool { kill == nil && end == nil }

    /// Whether every unfinished task was expired, and no task is being delivered.
    var isExpired: Bool { arriving.isEmpty && unfinished.allSatisfy { tasks[$0].expiration != nil } }

    /// Whether a continued task is unfinished or being delivered. The budget does not limit such a task.
    var hasContinuedWork: Bool { !arriving.isEmpty || unfinished.contains { tasks[$0].isContinued } }

    /// Whether the deadline of the budget applies to the launch. It does not while only continued tasks are unfinished,
    /// nor after the launch has outlived it.
    var isBoundByBudget: Bool {
        !hasOutlivedBudget && (!hasContinuedWork || unfinished.contains { !tasks[$0].isContinued })
    }

    /// Whether a user started the launch, or the launch has a continued task or a trigger. Only such a launch may
    /// submit continued requests (C8).
    var isForeground: Bool {
        plan.cause == .user
            || tasks.contains { task in
                if case .event(let event) = task.work { return event.type == .trigger }
                return task.isContinued
            }
    }

    /// The rule for handlers that the plugin registers after its entry function.
    var lateRegistration: LateRegistration {
        let others = tasks.filter { !$0.isContinued }.compactMap(\.work.identifier)
        return LateRegistration(inForeground: isForeground, otherKinds: Set(others))
    }

    /// Whether tasks of the launch may expire for this reason. `notIdle` does not expire the tasks of a launch whose
    /// batch was closed while the machine was not idle, such as a launch that a user requested.
    func minds(_ reason: ExpirationReason) -> Bool { reason != .notIdle || conditionsAtClose.isIdle }

    /// Sets the time at which a task that has just made progress counts as stalled. Of the transfers of a launch, the
    /// progress of one counts for all: the others may wait for a connection.
    mutating func moved(_ index: Int, stallsAt: MonotonicTime) {
        let isTransfer = tasks[index].work.kind == .transfer
        for other in tasks.indices where other == index || isTransfer && tasks[other].stallsAt != nil {
            tasks[other].stallsAt = stallsAt
        }
    }

    func index(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }

    func index(ofUnfinished identifier: TaskIdentifier) -> Int? {
        tasks.firstIndex { $0.outcome == nil && $0.work.identifier == identifier }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// One task of a launch, as observed from outside.
struct SeenTask {
    /// A required end of a task: `over` is its final outcome, `back` is an outcome after which it is requeued.
    enum Fate: Hashable {
        case over(TaskOutcome)
        case back(TaskOutcome, Retry)
    }

    let id: TaskID
    let work: PendingWork
    var expiration: (reason: ExpirationReason, killTime: MonotonicTime)?
    var hasHandler = false
    /// Whether a cancellation of the task is on disk, so that the task is not requeued.
    var wasCancelled = false
    /// Whether a user stopped the task while entry ran.
    var isToStop = false
    var progress: TaskProgress?
    var furthest: (done: Int64, fraction: Double) = (-1, -1)
    var stallsAt: MonotonicTime?
    var fate: Fate?
    /// Whether a newer submission of the identifier is on disk, so that the task is not requeued after an interruption.
    var isSucceeded = false
    /// The cursor; nil while the task has none.
    var cursor: SeenCursor?
    /// The number of standstills that the commit of the task's end records; nil for none.
    var standstills: Int?
    /// Number of the task's outcomes in the journal. Exactly one is correct.
    var outcomes = 0

    mutating func end(as end: SeenEnd) { (fate, standstills) = (end.fate, end.standstills) }

    var isContinued: Bool { work.kind == .continued }
    var isUndone: Bool { fate == nil }
    var goesOn: Bool { fate == nil && expiration == nil }
}

/// One launch as observed from outside, from the request to commit its batch until its end is on disk.
struct SeenLaunch {
    enum Entry: Hashable { case running, returned, failed, notLoaded }
    enum Kill: Hashable { case overran, entryOverran, entryFailed, lingered, hostStopping, hostFailed, killTimePassed }

    var plan: LaunchPlan
    var lane: Lane
    var tasks: [SeenTask]
    let conditionsAtClose: Conditions
    let isForeground: Bool
    /// Whether the plan was sent. Plugin code may run from then on.
    var isSent = false
    var entry = Entry.running
    var entryDeadline: MonotonicTime?
    var registered: [PermittedIdentifier] = []
    var kill: Kill?
    var stopKillTime: MonotonicTime?
    var assertions: Set<AssertionID> = []
    var newestAssertion: AssertionID?
    var assertionsKillTime: MonotonicTime?
    /// The end of the process; nil while it runs.
    var end: (termination: ProcessTermination, words: LastWords?)?
    /// Whether the model has judged the end of the launch, so that the required outcome of each task is certain.
    var isConcluded = false
    /// Whether the launch was killed because a task or an assertion was open at the end of the grace period.
    var isOverrun = false

    var number: LaunchNumber { plan.number }
    var plugin: PluginIdentifier { plan.plugin.identifier }
    var undone: [Int] { tasks.indices.filter { tasks[$0].isUndone } }
    /// Whether the host still acts on messages of the launch's runner: its plan was sent, it is neither stopping
    /// nor killed, and it has not ended.
    var isHeard: Bool { isSent && kill == nil && end == nil && stopKillTime == nil && !isConcluded }
    var runs: Bool { isHeard && entry == .returned }

    func index(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }
}

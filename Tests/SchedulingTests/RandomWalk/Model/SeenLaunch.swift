// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// One task of a launch, as it looks from outside.
struct SeenTask {
    /// What has to become of it, once that is certain.
    enum Fate: Hashable {
        case over(TaskOutcome)
        case back(TaskOutcome, Retry)
    }

    let id: TaskID
    let work: PendingWork
    var told: (reason: ExpirationReason, killAt: MonotonicTime)?
    var hasHandler = false
    /// A cancellation is on disk: it does not come back.
    var wasCancelled = false
    /// A person stopped it while entry ran.
    var isToStop = false
    var progress: TaskProgress?
    var furthest: (done: Int64, fraction: Double) = (-1, -1)
    var stallsAt: MonotonicTime?
    var fate: Fate?
    /// A newer submission of its identifier is on disk: should it be interrupted, it does not come back.
    var isSucceeded = false
    /// How many outcomes the journal got of it; one is right.
    var outcomes = 0

    var isContinued: Bool { work.kind == .continued }
    var isUndone: Bool { fate == nil }
    var goesOn: Bool { fate == nil && told == nil }
}

/// One launch from the moment that its batch is on the way to disk until its end is on disk.
struct SeenLaunch {
    enum Entry: Hashable { case running, returned, failed, notLoaded }
    enum Kill: Hashable { case overran, entryOverran, entryFailed, lingered, hostStopping, planNotSent, killTimePassed }

    var plan: LaunchPlan
    var lane: Lane
    var tasks: [SeenTask]
    let conditionsAtClose: Conditions
    let isForeground: Bool
    /// Its plan was sent: from here on its plugin's code may run.
    var isSent = false
    var entry = Entry.running
    var entryDeadline: MonotonicTime?
    var registered: [PermittedIdentifier] = []
    var kill: Kill?
    var finishBy: MonotonicTime?
    var assertions: Set<AssertionID> = []
    var newestAssertion: AssertionID?
    var assertionsToldBy: MonotonicTime?
    /// Its process has ended.
    var end: (termination: ProcessTermination, words: LastWords?)?
    /// What becomes of its tasks is certain.
    var isConcluded = false
    /// It was ended because something of it overstayed the grace.
    var isOverrun = false

    var number: LaunchNumber { plan.number }
    var plugin: PluginIdentifier { plan.plugin.identifier }
    var undone: [Int] { tasks.indices.filter { tasks[$0].isUndone } }
    /// What the runner says counts.
    var isHeard: Bool { isSent && kill == nil && end == nil && finishBy == nil && !isConcluded }
    var runs: Bool { isHeard && entry == .returned }

    func index(of id: TaskID) -> Int? { tasks.firstIndex { $0.id == id } }
}

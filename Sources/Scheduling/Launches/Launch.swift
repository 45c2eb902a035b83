// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// How a process ended, and what it wrote as it crashed.
struct ProcessEnd: Hashable, Sendable {
    let termination: ProcessTermination
    let lastWords: LastWords?
}

/// One launch from the request for a runner to the record of its end. Each phase holds what is legal in it.
struct Launch: Sendable {
    enum Phase: Sendable {
        /// A runner is being started; nothing is decided about the batch.
        case preparing
        /// The batch is closed and the launch being committed; no plan was sent.
        case starting(Start)
        /// The plan was sent.
        case running(Execution)
        /// Every task is over; the process is asked to leave, and is killed at that time.
        case finishing(Execution, by: MonotonicTime)
        /// No process is left; its record may not be on disk yet.
        case ended
    }

    /// What was committed, or is about to be.
    struct Start: Sendable {
        let plan: LaunchPlan
        var tasks: [Execution.Task]
        let conditions: Conditions
        /// The process ended before the launch was on disk.
        var end: ProcessEnd?
    }

    let number: LaunchNumber
    let plugin: PluginIdentifier
    /// Where it takes capacity: a launch with a continued task leaves the lane that it began in (C8).
    var lane: Lane
    var phase = Phase.preparing
    var record = LaunchRecord()
    /// The earliest alarm that is on the agenda for it.
    var alarmAt: MonotonicTime?
    /// The kill time that the launch thread was last given.
    var killTime: MonotonicTime?

    init(number: LaunchNumber, plugin: PluginIdentifier, lane: Lane) {
        self.number = number
        self.plugin = plugin
        self.lane = lane
    }

    /// What it will take is not on disk yet.
    var isUnderWay: Bool {
        switch phase {
        case .preparing, .starting: true
        case .running, .finishing, .ended: false
        }
    }

    var isPreparing: Bool { if case .preparing = phase { true } else { false } }
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// Nil before the plan was sent and after the end of the process.
    var execution: Execution? {
        switch phase {
        case .running(let execution), .finishing(let execution, _): execution
        case .preparing, .starting, .ended: nil
        }
    }

    /// Nil while the batch is open and after the end of the process.
    var plan: LaunchPlan? {
        if case .starting(let start) = phase { start.plan } else { execution?.plan }
    }

    /// The tasks of its batch and those that joined it; none while the batch is open and after the end of the process.
    var tasks: [Execution.Task] {
        if case .starting(let start) = phase { start.tasks } else { execution?.tasks ?? [] }
    }

    var unfinished: [Int] {
        let tasks = tasks
        return tasks.indices.filter { tasks[$0].outcome == nil }
    }

    /// Whether its runner is to be heard (BGT-ABI-09): it runs, was not killed, and its process has not ended.
    var isListening: Bool {
        if case .running(let execution) = phase { execution.isListening } else { false }
    }

    /// Changes the tasks of a launch that is being committed, or that runs.
    mutating func withTasks(_ body: (inout [Execution.Task]) -> Void) {
        if case .starting(var start) = phase {
            phase = .ended
            body(&start.tasks)
            phase = .starting(start)
        } else {
            withExecution { body(&$0.tasks) }
        }
    }

    /// Changes the execution in place. Without one nothing happens, and nil is returned.
    @discardableResult
    mutating func withExecution<Result>(_ body: (inout Execution) -> Result) -> Result? {
        switch phase {
        case .running(var execution):
            // The phase gives its hold up first: two holders of one array would mean a copy of it.
            phase = .ended
            defer { phase = .running(execution) }
            return body(&execution)
        case .finishing(var execution, let by):
            phase = .ended
            defer { phase = .finishing(execution, by: by) }
            return body(&execution)
        case .preparing, .starting, .ended: return nil
        }
    }
}

/// What a launch still has to have written. One commit at a time, so that its story stays in order.
struct LaunchRecord: Sendable {
    /// Changes in order, with the task that they are about.
    struct Step: Sendable {
        var changes: [LedgerChange]
        var task: TaskEnd?
    }

    /// A task that ends or returns by a step: in flight from the moment that is decided.
    struct TaskEnd: Sendable {
        let work: PendingWork
        let change: ChangeNumber
        /// It is pending again once the step is on disk.
        var returns: Bool
    }

    var waiting: [Step] = []
    var inFlight: [Step]?
    /// When a failed commit is tried again.
    var retryAt: MonotonicTime?

    var isComplete: Bool { waiting.isEmpty && inFlight == nil }
    /// Tasks whose end is not on disk yet.
    var unrecorded: [TaskEnd] { ((inFlight ?? []) + waiting).compactMap(\.task) }
    /// What will be pending again, unless it is superseded.
    var returning: [PendingWork] { unrecorded.filter(\.returns).map(\.work) }

    /// A newer submission is on disk: what was to return under its identifier, and is not on its way to disk, ends.
    ///
    /// - Returns: the tasks that do not return any more.
    mutating func supersede(_ identifier: TaskIdentifier, by newer: SubmissionNumber) -> [TaskEnd] {
        var ended: [TaskEnd] = []
        for index in waiting.indices {
            guard let task = waiting[index].task, task.returns, task.work.identifier == identifier,
                task.work.number < newer
            else { continue }
            waiting[index].task?.returns = false
            ended.append(task)
            waiting[index].changes = waiting[index].changes.flatMap { change -> [LedgerChange] in
                guard case .returnTask(let launch, let work, let now) = change else { return [change] }
                let entry = JournalEntry.superseded(work, by: newer, launch: launch, at: now)
                return [.endTask(launch, work.number), .journal(entry)]
            }
        }
        return ended
    }
}

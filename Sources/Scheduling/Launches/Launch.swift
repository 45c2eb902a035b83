// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The end of a process: its termination, and its crash report if it crashed.
struct ProcessEnd: Hashable, Sendable {
    let termination: ProcessTermination
    let lastWords: LastWords?
}

/// One launch, from the request for a runner to the record of its end. Each phase holds only the data that is valid in
/// it.
struct Launch: Sendable {
    enum Phase: Sendable {
        /// A runner is being started; the batch is still open.
        case preparing
        /// The batch is closed and the launch is being committed; the plan is not sent.
        case starting(Start)
        /// The plan was sent.
        case running(Execution)
        /// Every task has ended. The process was told to exit, and is killed at that time.
        case finishing(Execution, by: MonotonicTime)
        /// The process has ended; the record of it may not be on disk.
        case ended
    }

    /// The contents of the launch's commit.
    struct Start: Sendable {
        let plan: LaunchPlan
        var tasks: [Execution.Task]
        let conditions: Conditions
        /// Set when the process ended before the launch was on disk.
        var end: ProcessEnd?
    }

    let number: LaunchNumber
    let plugin: PluginIdentifier
    /// The lane whose capacity it uses: a launch that gets a continued task moves to the continued lane (C8).
    var lane: Lane
    var phase = Phase.preparing
    var record = LaunchRecord()
    /// The kill time that was last set at the launch thread.
    var killTime: MonotonicTime?

    init(number: LaunchNumber, plugin: PluginIdentifier, lane: Lane) {
        self.number = number
        self.plugin = plugin
        self.lane = lane
    }

    /// Whether the launch is not on disk yet.
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

    /// The tasks of its batch, including later deliveries; empty while the batch is open and after the end of the
    /// process.
    var tasks: [Execution.Task] {
        if case .starting(let start) = phase { start.tasks } else { execution?.tasks ?? [] }
    }

    var unfinished: [Int] {
        let tasks = tasks
        return tasks.indices.filter { tasks[$0].outcome == nil }
    }

    /// Whether messages of its runner count (BGT-ABI-09): it runs, was not killed, and its process has not ended.
    var isListening: Bool {
        if case .running(let execution) = phase { execution.isListening } else { false }
    }

    /// Changes the tasks of a launch that is being committed or running.
    mutating func withTasks(_ body: (inout [Execution.Task]) -> Void) {
        if case .starting(var start) = phase {
            phase = .ended
            body(&start.tasks)
            phase = .starting(start)
        } else {
            withExecution { body(&$0.tasks) }
        }
    }

    /// Changes the execution in place. Without an execution it does nothing and returns nil.
    @discardableResult
    mutating func withExecution<Result>(_ body: (inout Execution) -> Result) -> Result? {
        switch phase {
        case .running(var execution):
            // The phase releases its reference first: with two references, the change would copy the arrays.
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

/// The changes that a launch still has to record. One commit at a time, so that its journal stays in order.
struct LaunchRecord: Sendable {
    /// Changes in order, with the task that they concern.
    struct Step: Sendable {
        var changes: [LedgerChange]
        var task: TaskEnd?
    }

    /// A task that ends or returns to pending in a step; it is in flight from the decision on.
    struct TaskEnd: Sendable {
        let work: PendingWork
        let change: ChangeNumber
        /// Whether the task is pending again once the step is on disk.
        var returns: Bool
    }

    var waiting: [Step] = []
    var inFlight: [Step]?
    /// The time at which a failed commit is tried again; nil without one.
    var retryAt: MonotonicTime?

    var isComplete: Bool { waiting.isEmpty && inFlight == nil }
    /// Tasks whose end is not on disk yet.
    var unrecorded: [TaskEnd] { ((inFlight ?? []) + waiting).compactMap(\.task) }
    /// The work that will be pending again, unless it is superseded.
    var returning: [PendingWork] { unrecorded.filter(\.returns).map(\.work) }

    /// Applies a newer submission that is on disk: the waiting steps no longer return older tasks of its identifier,
    /// but end them. Steps in flight stay unchanged.
    ///
    /// - Returns: the tasks that no longer return.
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

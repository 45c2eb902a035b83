// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The end of a process: its termination, and its crash report if it crashed.
struct ProcessEnd: Hashable, Sendable {
    let termination: ProcessTermination
    let lastWords: LastWords?
}

/// One launch, from the request for a runner until its end is recorded. Each phase holds only the data that is valid in
/// it.
struct ScheduledLaunch: Sendable {
    enum Phase: Sendable {
        /// A runner is being started for the launch; the batch is not formed yet.
        case preparing(Preparation)
        /// The batch is closed and the launch is being committed, while its runner enters the sandbox. The plan is sent
        /// after the commit.
        case starting(Start)
        /// The launch is on disk. Its plan was sent, unless the runner had ended before or the host was stopping.
        case running(Execution)
        /// Every task and assertion has ended. The process was sent the request to exit, and is killed at `killTime`.
        case stopping(Execution, killTime: MonotonicTime)
        /// The end of the process was judged. The end of the launch may not be on disk yet.
        case ended
    }

    /// The data of a launch that is being committed: its plan and its batch.
    struct Start: Sendable {
        private let sharedPlan: Shared<LaunchPlan>
        var tasks: [Execution.Task]
        let conditions: Conditions
        /// The end of the process, if the process ended before the launch was on disk; nil while it runs.
        var end: ProcessEnd?
        /// The first failure outside of the plugin that was reported before the launch was on disk; nil without one.
        var failure: String?

        init(plan: LaunchPlan, tasks: [Execution.Task], conditions: Conditions) {
            sharedPlan = Shared(plan)
            self.tasks = tasks
            self.conditions = conditions
        }

        var plan: LaunchPlan { sharedPlan.value }
    }

    let number: LaunchNumber
    let plugin: PluginIdentifier
    /// The lane whose capacity the launch uses. A launch to which a continued task is delivered moves to the continued
    /// lane (C8).
    var lane: Lane
    var phase: Phase
    var record = LaunchRecording()
    /// The kill time last sent to the launch thread; nil without one.
    var sentKillTime: MonotonicTime?
    /// The time at which the scheduler requested the runner; nil for a launch of an earlier host process.
    let preparedAt: WallTime?

    init(
        number: LaunchNumber,
        plugin: PluginIdentifier,
        lane: Lane,
        preparedAt: WallTime? = nil,
        for change: ChangeNumber? = nil
    ) {
        phase = .preparing(Preparation(for: change))
        self.number = number
        self.plugin = plugin
        self.lane = lane
        self.preparedAt = preparedAt
    }

    /// Whether the launch is not on disk yet.
    var isUnderWay: Bool {
        switch phase {
        case .preparing, .starting: true
        case .running, .stopping, .ended: false
        }
    }

    var isPreparing: Bool { if case .preparing = phase { true } else { false } }
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// The execution of the launch; nil in the phases `preparing`, `starting` and `ended`.
    var execution: Execution? {
        switch phase {
        case .running(let execution), .stopping(let execution, _): execution
        case .preparing, .starting, .ended: nil
        }
    }

    /// The plan of the launch; nil in the phases `preparing` and `ended`.
    var plan: LaunchPlan? {
        if case .starting(let start) = phase { start.plan } else { execution?.plan }
    }

    /// The tasks of the batch and the tasks delivered to the launch later; empty in the phases `preparing` and `ended`.
    var tasks: [Execution.Task] {
        if case .starting(let start) = phase { start.tasks } else { execution?.tasks ?? [] }
    }

    var unfinished: [Int] {
        let tasks = tasks
        return tasks.indices.filter { tasks[$0].outcome == nil }
    }

    /// Whether messages of the launch's runner count (BGT-ABI-09). They count in the phase `running`, until the launch
    /// is killed or its process ends.
    var isListening: Bool {
        if case .running(let execution) = phase { execution.isListening } else { false }
    }

    /// Changes the tasks of a launch in place. Does nothing in the phases `preparing` and `ended`.
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
        case .stopping(var execution, let killTime):
            phase = .ended
            defer { phase = .stopping(execution, killTime: killTime) }
            return body(&execution)
        case .preparing, .starting, .ended: return nil
        }
    }
}

/// The changes that a launch still has to record. Only one commit of them is in flight at a time, so that the journal
/// of the launch stays in order.
struct LaunchRecording: Sendable {
    /// Changes that are committed together, and the task that they end; `task` is nil when they end none.
    struct Step: Sendable {
        var changes: [LedgerChange]
        var task: TaskEnd?
        /// The running task whose cursor the step stores, and nothing else; nil for another step.
        var cursor: TaskID?
        /// The calls that are answered when the step is on disk, or when a commit of it has failed.
        var replies: [ReplyToken] = []
        /// The end of the transfer that the step records.
        var ends = TransferEnds()
    }

    /// The end or the requeueing of a task by a step. The identifier of a request is in flight from the decision
    /// until the step is on disk; a failed commit is repeated.
    struct TaskEnd: Sendable {
        let work: PendingWork
        let change: ChangeNumber
        /// Whether the step requeues the task.
        var returns: Bool
    }

    var waiting: [Step] = []
    var inFlight: [Step]?
    /// The time at which a failed commit is tried again; nil when none has failed.
    var retryAt: MonotonicTime?

    /// By task identifier, the newest submission whose task has started since the launch began. Older tasks of the
    /// identifier no longer store their cursors.
    private var newestStarted: [TaskIdentifier: SubmissionNumber] = [:]

    var isComplete: Bool { waiting.isEmpty && inFlight == nil }
    /// The tasks whose end is not on disk yet.
    var unrecorded: [TaskEnd] { ((inFlight ?? []) + waiting).compactMap(\.task) }
    /// The work that will be pending again once its requeueing is on disk, unless a newer submission supersedes it.
    var returning: [PendingWork] { unrecorded.filter(\.returns).map(\.work) }

    /// Whether no newer task of the work's identifier has started: the task may store its cursor.
    func mayStoreCursor(of identifier: TaskIdentifier, _ submission: SubmissionNumber) -> Bool {
        newestStarted[identifier].map { $0 <= submission } ?? true
    }

    /// Drops the waiting writes of older tasks to the cursor of the identifier, because a newer task has started.
    ///
    /// - Returns: the calls that waited for the dropped writes.
    mutating func yieldCursor(of identifier: TaskIdentifier, to newer: SubmissionNumber) -> [ReplyToken] {
        newestStarted[identifier] = max(newer, newestStarted[identifier] ?? newer)
        let all = waiting
        waiting = all.filter(mayStore)
        return all.filter { !mayStore($0) }.flatMap(\.replies)
    }

    private func mayStore(_ step: Step) -> Bool {
        guard step.cursor != nil, case .storeCursor(let change)? = step.changes.first else { return true }
        return mayStoreCursor(of: change.identifier, change.submission)
    }

    /// Adds a step that stores a cursor. It replaces a waiting step of the same task.
    mutating func store(_ change: CursorChange, reply: ReplyToken?) {
        var step = Step(changes: [.storeCursor(change)], cursor: change.task, replies: reply.map { [$0] } ?? [])
        if let index = waiting.lastIndex(where: { $0.cursor == change.task }) {
            step.replies = waiting[index].replies + step.replies
            waiting[index] = step
        } else {
            waiting.append(step)
        }
    }

    /// Returns the steps of a failed commit to the waiting ones, without their calls. A step that stores a cursor is
    /// dropped when a newer step of the task waits, or a newer task of the identifier has started.
    ///
    /// - Returns: the calls of the steps.
    mutating func returnFailed(_ failed: [Step]) -> [ReplyToken] {
        let newer = Set(waiting.compactMap(\.cursor))
        let kept = failed.filter { mayStore($0) && $0.cursor.map { !newer.contains($0) } ?? true }
        waiting = kept.map { Step(changes: $0.changes, task: $0.task, cursor: $0.cursor, ends: $0.ends) } + waiting
        return failed.flatMap(\.replies)
    }

    /// Applies a newer submission that is on disk: the waiting steps end older tasks of its identifier instead of
    /// requeueing them. A step in flight stays unchanged.
    ///
    /// - Returns: the tasks that end instead.
    mutating func supersede(_ identifier: TaskIdentifier, by newer: SubmissionNumber) -> [TaskEnd] {
        var ended: [TaskEnd] = []
        for index in waiting.indices {
            guard let task = waiting[index].task, task.returns, task.work.identifier == identifier,
                task.work.number < newer
            else { continue }
            waiting[index].task?.returns = false
            ended.append(task)
            waiting[index].changes = waiting[index].changes.flatMap { change -> [LedgerChange] in
                guard case .requeueTask(let launch, let work, let now) = change else { return [change] }
                let entry = JournalEntry.superseded(work, by: newer, launch: launch, at: now)
                return [.endTask(launch, work.number), .journal(entry)]
            }
        }
        return ended
    }
}

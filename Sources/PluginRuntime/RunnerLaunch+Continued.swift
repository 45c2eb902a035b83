// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

// Continued tasks, which users watch. They may arrive while the launch runs, and the launch's deadline does not apply
// to them.
extension RunnerLaunch {
    /// The subject of a report: the progress or the title of a continued task, the cursor of a task, or the interval of
    /// legacy fetch. Only the newest report of a subject counts.
    enum ReportKey: Hashable, Sendable {
        case progress(TaskID)
        case title(TaskID)
        case cursor(TaskID)
        case fetchInterval

        /// Whether a task of the kind makes such reports.
        func belongs(to kind: TaskKind) -> Bool {
            switch self {
            case .progress: kind == .continued || kind == .transfer
            case .title, .cursor, .fetchInterval: kind == .continued
            }
        }
    }

    // MARK: Delivery

    /// Delivers one more task, which this launch submitted. Called by the control thread; never blocks.
    func deliver(_ task: RunnerPlan.Task) {
        let hooks = state.withLock { state -> PluginHooks? in
            // The host sends such a task only after entry has returned.
            guard !state.hasEnded, let hooks = state.hooks, state.tasks.add(task.id) else { return nil }
            state.open[task.id] = OpenTask(
                task,
                of: plan.plugin,
                isOfBatch: false,
                isGuarded: plan.imitation.contains(.guardedTasks)
            )
            state.assumeTitles(of: task)
            state.cursors.add(task)
            slots.open(task.id)
            return hooks
        }
        if let hooks { begin(task, hooks) }
    }

    // MARK: Deadlines

    /// Logs a warning when entry has not returned by its deadline. At that time no task has been delivered that could
    /// expire. Called by the control thread; never blocks.
    func warnOfEntry() {
        guard state.withLock({ $0.hooks == nil && !$0.hasEnded }) else { return }
        let message =
            "the constructors of the library, or its entry, have not returned by the deadline of entry; the process is"
            + " killed after a grace period of \(plan.gracePeriod), unless they return before; do less work in"
            + " constructors and in entry"
        channel.send(.log(.warning, message: message))
    }

    /// Expires all tasks to which the launch's deadline applies, when it has passed; also the assertions, unless a
    /// continued task still runs. Called by the control thread; never blocks.
    func expireBudget() {
        expire(.bounded, .budget, isAnnounced: true)
        // A continued task that still runs keeps the launch open. The host expires the assertions after the last one.
        if !state.withLock({ $0.tasks.hasUnbounded }) { expireAssertions(.budget) }
    }

    // MARK: Reports of the plugin

    func setProgress(of task: TaskID, _ completed: Int64, of total: Int64) -> Int32 {
        report(.progress(task), of: task, "set_progress") {
            TaskProgress(done: completed, total: total).map { .progress(task, $0) }
        }
    }

    func setTitle(of task: TaskID, _ title: UnsafePointer<CChar>?, _ subtitle: UnsafePointer<CChar>?) -> Int32 {
        report(.title(task), of: task, "set_title") {
            ForeignTitles(title, subtitle).map { .title(task, $0.title, subtitle: $0.subtitle) }
        }
    }

    /// Sends a report of a continued task, or holds it for later.
    ///
    /// - Parameter message: makes the message; nil when the plugin's arguments are invalid.
    private func report(
        _ key: ReportKey,
        of task: TaskID,
        _ call: StaticString,
        _ message: () -> RunnerMessage?
    ) -> Int32 {
        if let status = bar(call) { return status }
        let message = message()
        return state.withLock { state in
            switch state.tasks.presence(of: task) {
            case .unknown: return BGT_NO_SUCH_TASK
            case .completed: return BGT_ALREADY_COMPLETED
            case .open: break
            }
            guard let kind = state.open[task]?.kind, key.belongs(to: kind) else { return BGT_WRONG_KIND }
            guard let message else { return BGT_INVALID }
            // Older than the new report.
            if case .progress = key { _ = slots.take(task) }
            put(message, as: key, &state)
            return BGT_OK
        }
    }

    func setMinimumFetchInterval(_ seconds: UInt64) throws(CallProblem) {
        try permit("set_minimum_interval")
        guard plan.role == .main else {
            let message =
                "an extension called set_minimum_interval; only its main plugin may call this function, because the main"
                + " plugin receives the fetch events"
            violation(.setFetchIntervalOfMain, message)
            throw CallProblem(status: BGT_WRONG_ROLE, message: message)
        }
        guard plan.modes.contains(.fetch), plan.permitted.isEmpty else {
            throw CallProblem(
                status: BGT_NOT_PERMITTED,
                message: "legacy fetch requires a manifest with the background mode fetch and without permitted"
                    + " identifiers; with this mode and permitted identifiers, submit refresh requests instead"
            )
        }
        // The longest interval, almost three centuries; `.max` stands for never.
        let longest = UInt64(Int64.max / 1_000_000_000)
        let interval: Duration? = seconds == .max ? nil : .seconds(Int64(min(seconds, longest)))
        state.withLock { put(.fetchInterval(interval), as: .fetchInterval, &$0) }
    }

    // Called under the lock: reports on one subject reach the host in the order in which they were made.
    private func put(_ message: RunnerMessage, as key: ReportKey, _ state: inout State) {
        switch state.reports.put(message, as: key, at: .now) {
        case .send: channel.send(message)
        case .hold(let isFirst):
            if isFirst { channel.wake() }
            if case .progress(let task, let progress) = message, slots.hold(progress, of: task) {
                state.held.insert(task)
            }
        case .nothingNew: break
        }
    }

    /// Moves the newest held progress of a task from its slot to the table of reports.
    func collectProgress(of task: TaskID, _ state: inout State) {
        guard state.held.remove(task) != nil, let progress = slots.take(task) else { return }
        let message = RunnerMessage.progress(task, progress)
        if state.reports.put(message, as: .progress(task), at: .now) == .send { channel.send(message) }
    }

    private func collectProgress(_ state: inout State) {
        for task in state.held { collectProgress(of: task, &state) }
    }

    /// Notes for the host that a task has written its cursor, at most once per second. Called under the lock.
    func noteCursor(of task: TaskID, number: UInt64, _ state: inout State) {
        let message = RunnerMessage.cursorWritten(task, number: number)
        switch state.reports.put(message, as: .cursor(task), every: .seconds(1), at: .now) {
        case .send: channel.send(message)
        case .hold(let isFirst): if isFirst { channel.wake() }
        case .nothingNew: break
        }
    }

    // MARK: Held reports

    /// Time at which the next held report is due; nil when none is held.
    var nextReport: MonotonicTime? { state.withLock { $0.reports.due } }

    /// Sends the reports that are due. Called by the control thread; never blocks.
    func sendReports() {
        state.withLock { state in
            collectProgress(&state)
            for message in state.reports.takeDue(at: .now) { channel.send(message) }
        }
    }

    /// Sends all reports of progress and titles that the rate limit still holds. Called before the process ends.
    func sendLastReports() {
        state.withLock { state in
            collectProgress(&state)
            for message in state.reports.closeAll() { channel.send(message) }
        }
    }
}

extension RunnerLaunch.State {
    /// Records the titles of a continued task as already sent, because the host shows them from the start.
    mutating func assumeTitles(of task: RunnerPlan.Task) {
        guard let terms = task.continued else { return }
        reports.assume(.title(task.id, terms.title, subtitle: terms.subtitle), as: .title(task.id))
    }

    /// Closes the reports of a completed task. Its completion is also the note about its cursor.
    ///
    /// - Returns: its newest reports that have not been sent.
    mutating func closeReports(of task: TaskID) -> [RunnerMessage] {
        cursors.close(task)
        _ = reports.close(.cursor(task))
        return [.title(task), .progress(task)].compactMap { reports.close($0) }
    }
}

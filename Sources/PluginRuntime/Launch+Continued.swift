// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

// Continued tasks, which people watch: they may come while the launch runs, and the launch's deadline is not theirs.
extension Launch {
    /// Of what only the newest report counts.
    enum ReportKey: Hashable, Sendable {
        case progress(TaskID)
        case title(TaskID)
        case fetchInterval
    }

    // MARK: Delivery

    /// One more task, which this launch submitted. Never blocks: called by the control thread.
    func deliver(_ task: RunnerPlan.Task) {
        let hooks = state.withLock { state -> PluginHooks? in
            // The host knows that entry has returned before it sends one.
            guard !state.hasEnded, let hooks = state.hooks, state.tasks.add(task.id) else { return nil }
            state.open[task.id] = OpenTask(task, of: plan.plugin, isOfBatch: false)
            state.assumeTitles(of: task)
            return hooks
        }
        if let hooks { begin(task, hooks) }
    }

    // MARK: Deadlines

    /// Never blocks: called by the control thread when entry should have returned. No task can be told yet.
    func warnOfEntry() {
        guard state.withLock({ $0.hooks == nil && !$0.hasEnded }) else { return }
        let message = "entry has not returned in time; the process is killed when the grace of \(plan.grace) is over"
        channel.send(.log(.warning, message: message))
    }

    /// Never blocks: called by the control thread at the launch's deadline.
    func expireBudget() {
        expire(.bounded, .budget, isAnnounced: true)
        // With a continued task that goes on the launch does too; the host says when nothing does.
        if !state.withLock({ $0.tasks.hasUnbounded }) { expireAssertions(.budget) }
    }

    // MARK: What the plugin reports

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

    /// - Parameter message: what is to be sent; nil when the plugin's arguments are no such thing.
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
            guard state.open[task]?.kind == .continued else { return BGT_WRONG_KIND }
            guard let message else { return BGT_INVALID }
            put(message, as: key, &state)
            return BGT_OK
        }
    }

    func setMinimumFetchInterval(_ seconds: UInt64) -> Int32 {
        if let status = bar("set_minimum_fetch_interval") { return status }
        guard plan.role == .main else {
            violation(
                "BGT-ABI-11",
                "an extension set a minimum fetch interval; only its main plugin may, which gets the events"
            )
            return BGT_WRONG_ROLE
        }
        guard plan.modes.contains(.fetch), plan.permitted.isEmpty else { return BGT_NOT_PERMITTED }
        // Three centuries are the longest that is kept apart from never.
        let longest = UInt64(Int64.max / 1_000_000_000)
        let interval: Duration? = seconds == .max ? nil : .seconds(Int64(min(seconds, longest)))
        state.withLock { put(.fetchInterval(interval), as: .fetchInterval, &$0) }
        return BGT_OK
    }

    // Under the lock: reports of one thing reach the host in the order in which they were made.
    private func put(_ message: RunnerMessage, as key: ReportKey, _ state: inout State) {
        switch state.reports.put(message, as: key, at: .now) {
        case .send: channel.send(message)
        case .hold(isFirst: true): channel.wake()
        case .hold, .nothingNew: break
        }
    }

    // MARK: What is held back

    /// When the next report is due; nil when none waits.
    var nextReport: MonotonicTime? { state.withLock { $0.reports.due } }

    /// Never blocks: called by the control thread.
    func sendReports() {
        state.withLock { state in
            for message in state.reports.takeDue(at: .now) { channel.send(message) }
        }
    }

    /// The process ends: nothing is held back any more.
    func sendLastReports() {
        state.withLock { state in
            for message in state.reports.closeAll() { channel.send(message) }
        }
    }
}

extension Launch.State {
    /// What the host shows of a task before its plugin has said more.
    mutating func assumeTitles(of task: RunnerPlan.Task) {
        guard let terms = task.continued else { return }
        reports.assume(.title(task.id, terms.title, subtitle: terms.subtitle), as: .title(task.id))
    }

    /// A task is completed.
    ///
    /// - Returns: what it reported last, as far as that has not been sent.
    mutating func closeReports(of task: TaskID) -> [RunnerMessage] {
        [.title(task), .progress(task)].compactMap { reports.close($0) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Stop of a launch by a user: all its unfinished tasks are stopped, as `stopTask` stops one.
extension Scheduler {
    /// Expires the unfinished tasks of a launch on a user's call. The answer is sent after the commit: from then on the
    /// tasks are not requeued, even if the host goes down. A launch without an unfinished task expires its assertions.
    mutating func stopLaunch(_ number: LaunchNumber, reply: ReplyToken, at now: Moment) {
        guard let launch = launches.find(number), launch.isListening || launch.isUnderWay else {
            let message =
                "launch \(number) is not running, or is ending already; list launches with: bgtask launch list"
            return emit(.answer(reply, .notRunning(message: message)))
        }
        if launch.isPreparing {
            let message =
                "launch \(number) is being prepared and has no task yet; pause its plugin, or cancel its requests"
            return emit(.answer(reply, .notRunning(message: message)))
        }
        // The result of the commit decides which tasks the launch has.
        guard let execution = launch.execution, execution.arriving.isEmpty else {
            return waiting.add(.stopLaunch(number, reply: reply), by: callingUser, for: launch.plugin)
        }
        let tasks = execution.unfinished.map { RunningTask(execution.tasks[$0], of: number, by: callingUser) }
        if tasks.isEmpty { return stopAssertions(of: launch, execution, reply: reply, at: now) }
        stop(tasks, of: launch, execution, reply: reply, at: now)
    }

    /// Whether the launch waits for its runner. Neither its tasks nor a record in the ledger exist then.
    package func isPreparing(_ number: LaunchNumber) -> Bool { launches.find(number)?.isPreparing ?? false }

    /// Expires the assertions of a launch whose tasks have all ended.
    private mutating func stopAssertions(
        of launch: ScheduledLaunch,
        _ execution: Execution,
        reply: ReplyToken,
        at now: Moment
    ) {
        note(.stopRequested(of: launch.number, launch.plugin, at: now))
        expire(launch.number, Array(execution.tasks.indices), because: .stoppedByUser, at: now)
        emit(.answer(reply, .stopping(launch.number, tasks: [])))
    }

    private mutating func stop(
        _ tasks: [RunningTask],
        of launch: ScheduledLaunch,
        _ execution: Execution,
        reply: ReplyToken,
        at now: Moment
    ) {
        let change = inFlight.nextChange()
        for task in tasks { beginDeciding(over: task, as: change) }
        if execution.entry == .returned {
            expire(launch.number, execution.unfinished, because: .stoppedByUser, at: now)
        } else {
            // During entry no task was delivered, so the tasks cannot expire yet.
            launches.execute(launch.number) { running in
                for index in execution.unfinished { running.tasks[index].isToStop = true }
            }
        }
        let changes = tasks.flatMap { task -> [LedgerChange] in
            [
                .journal(.call(.stopRequested, of: task, launch.plugin, at: now)),
                .forbidRequeue(task.launch, task.submission),
            ]
        }
        stage(.launchStop(launch.number, tasks, change, reply: reply), changes)
    }

    mutating func launchStopRecorded(
        _ number: LaunchNumber,
        _ tasks: [RunningTask],
        _ change: ChangeNumber,
        reply: ReplyToken,
        at now: Moment
    ) {
        emit(.answer(reply, .stopping(number, tasks: tasks.map(\.label))))
        endStop(of: tasks, change, at: now) { $0.cancel(by: $1.user) }
    }

    mutating func launchStopNotRecorded(
        _ number: LaunchNumber,
        _ tasks: [RunningTask],
        _ change: ChangeNumber,
        reply: ReplyToken,
        because message: String,
        at now: Moment
    ) {
        let consequence =
            "launch \(number) is being stopped, but its tasks run again if the host goes down before they have ended"
        emit(.answer(reply, .notRecorded(message: "\(consequence): \(message)")))
        endStop(of: tasks, change, at: now) { _, _ in }
    }

    private mutating func endStop(
        of tasks: [RunningTask],
        _ change: ChangeNumber,
        at now: Moment,
        _ body: (inout Execution.Task, RunningTask) -> Void
    ) {
        for task in tasks { endDeciding(over: task, as: change, at: now) { body(&$0, task) } }
        if let last = tasks.last { resumeOperations(about: last, at: now) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Stop of a task by a user.
extension Scheduler {
    /// Expires a running task, or cancels a waiting continued request, on a user's call. The answer is sent after the
    /// commit: from then on the task is not requeued, even if the host goes down. Without such a task or request, the
    /// call expires the open assertions of the launch in which the task ran.
    mutating func stopTask(_ identifier: TaskIdentifier, reply: ReplyToken, at now: Moment) {
        if let plugin = pluginStarting(identifier) {
            return waiting.add(.stop(identifier, reply: reply), by: callingUser, for: plugin)
        }
        if let task = runningTask(identifier) {
            if let plugin = launches.find(task.launch)?.plugin {
                noteCall(.stopRequested, of: identifier, plugin, at: now)
            }
            return stop(task, reply: reply, at: now)
        }
        if let owner = holder(of: identifier), plugins.contains(owner),
            plugins[owner].requests.expected(identifier)?.request.kind == .continued
        {
            return cancel(identifier, of: owner, from: nil, reply: reply, at: now)
        }
        expire(identifier, because: .stoppedByUser, noting: .stopRequested, reply: reply, at: now)
    }

    /// The plugin of a launch whose start with a task of the identifier is being committed, or to which such a task is
    /// being delivered; nil without such a launch.
    private func pluginStarting(_ identifier: TaskIdentifier) -> PluginIdentifier? {
        launches.numbers(running: identifier).lazy.compactMap(launches.find).first { launch in
            if case .starting = launch.phase { return true }
            return launch.execution?.arriving.contains { $0.work.identifier == identifier } == true
        }?.plugin
    }

    private func runningTask(_ identifier: TaskIdentifier) -> RunningTask? {
        for number in launches.numbers(running: identifier) {
            guard let execution = launches.listening(number),
                let index = execution.index(ofUnfinished: identifier)
            else { continue }
            return RunningTask(execution.tasks[index], of: number, by: callingUser)
        }
        return nil
    }

    private mutating func stop(_ task: RunningTask, reply: ReplyToken, at now: Moment) {
        guard let execution = launches.listening(task.launch), let index = execution.index(of: task.id) else { return }
        let change = inFlight.nextChange()
        beginDeciding(over: task, as: change)
        if execution.entry == .returned {
            expire(task.launch, [index], because: .stoppedByUser, at: now)
        } else {
            // During entry the task was not delivered, so it cannot expire yet.
            launches.execute(task.launch) { $0.tasks[index].isToStop = true }
        }
        stage(.stop(task, change, reply: reply), [.forbidRequeue(task.launch, task.submission)])
    }

    mutating func stopRecorded(_ task: RunningTask, _ change: ChangeNumber, reply: ReplyToken, at now: Moment) {
        emit(.answer(reply, .expiring(task.launch)))
        endDeciding(over: task, as: change, at: now) { $0.cancel(by: task.user) }
        resumeOperations(about: task, at: now)
    }

    mutating func stopNotRecorded(
        _ task: RunningTask,
        _ change: ChangeNumber,
        reply: ReplyToken,
        _ message: String,
        at now: Moment
    ) {
        let consequence =
            "\(task.label) is being stopped, but runs again if the host goes down before the task has ended"
        emit(.answer(reply, .notRecorded(message: "\(consequence): \(message)")))
        endDeciding(over: task, as: change, at: now) { _ in }
        resumeOperations(about: task, at: now)
    }

    mutating func resumeOperations(about task: RunningTask, at now: Moment) {
        guard let plugin = launches.find(task.launch)?.plugin else { return }
        resumeOperations(of: plugin, at: now)
        considerRequests(of: plugin, at: now)
    }
}

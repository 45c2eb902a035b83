// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Calls of users that override time, conditions and capacity, but never permission (statement 89).
extension Scheduler {
    mutating func simulateLaunch(of identifiers: [TaskIdentifier], reply: ReplyToken, at now: Moment) {
        var requested: [(plugin: PluginIdentifier, identifier: TaskIdentifier)] = []
        for identifier in identifiers {
            switch holder(ofLaunchable: identifier, at: now) {
            case .success(let plugin): requested.append((plugin, identifier))
            case .failure(let refusal): return emit(.answer(reply, .notLaunching(message: refusal.message)))
            }
        }
        for request in requested {
            plugins[request.plugin].requests.setUserRequested(request.identifier, at: now.wall)
            noteCall(.launchRequested, of: request.identifier, request.plugin, at: now)
        }
        for plugin in Set(requested.map(\.plugin)).sorted() { considerRequests(of: plugin, at: now) }
        let launches = requested.compactMap { launch(about: $0.identifier, of: $0.plugin) }
        emit(.answer(reply, .launching(Set(launches).sorted())))
    }

    /// The launch that is being prepared for a request, or to which the request is being delivered.
    private func launch(about identifier: TaskIdentifier, of plugin: PluginIdentifier) -> LaunchNumber? {
        guard let request = plugins[plugin].requests[identifier] else { return nil }
        let taking = launches.numbers(running: identifier).first { number in
            launches.find(number)?.execution?.arriving.contains { $0.work.number == request.number } ?? false
        }
        return taking ?? plugins[plugin].reserved[request.number]
            ?? plugins[plugin].occupants[request.request.kind.lane]
    }

    private struct NotLaunching: Error { let message: String }

    private func holder(
        ofLaunchable identifier: TaskIdentifier,
        at now: Moment
    ) -> Result<PluginIdentifier, NotLaunching> {
        guard let plugin = holder(of: identifier), plugins.contains(plugin),
            let request = plugins[plugin].requests[identifier]
        else {
            let message = "no request with identifier \(identifier) is scheduled; submit one first"
            return .failure(NotLaunching(message: message))
        }
        let reasons = reasons(against: request, isUserRequested: true, at: now).filter { reason in
            if case .othersRunAlone = reason { false } else { true }
        }
        guard let first = reasons.first else { return .success(plugin) }
        return .failure(NotLaunching(message: "\(identifier) cannot be launched now: \(first.message)"))
    }

    mutating func simulateExpiration(of identifier: TaskIdentifier, reply: ReplyToken, at now: Moment) {
        guard let (number, index) = expirable(identifier) else {
            let message = "no task with identifier \(identifier) is running; see what runs with: bgtask task list"
            return emit(.answer(reply, .notRunning(message: message)))
        }
        if let plugin = launches.find(number)?.plugin {
            noteCall(.expirationRequested, of: identifier, plugin, at: now)
        }
        expire(number, [index], because: .stoppedByPerson, at: now)
        emit(.answer(reply, .expiring(number)))
    }

    /// A running task of the identifier; or an ended task of a launch that assertions keep open, which stands for the
    /// launch.
    private func expirable(_ identifier: TaskIdentifier) -> (LaunchNumber, Int)? {
        for number in launches.numbers(running: identifier) {
            guard let execution = launches.listening(number), execution.entry == .returned,
                let index = execution.index(ofUnfinished: identifier)
            else { continue }
            return (number, index)
        }
        let held = holder(of: identifier).map { launches.numbers(of: $0) } ?? []
        for number in held {
            guard let execution = launches.listening(number), execution.entry == .returned,
                execution.unfinished.isEmpty,
                let index = execution.tasks.firstIndex(where: { $0.work.identifier == identifier })
            else { continue }
            return (number, index)
        }
        return nil
    }

    /// Journals a user's call that has no other journal entry.
    private mutating func noteCall(
        _ event: JournalEntry.Event,
        of identifier: TaskIdentifier,
        _ plugin: PluginIdentifier,
        at now: Moment
    ) {
        note(.call(event, of: identifier, plugin, at: now))
    }

    // MARK: Stop by a user

    /// Expires a running task, or cancels a waiting continued request. Answered after the commit: a stopped task does
    /// not return, even if the host goes down.
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
        simulateExpiration(of: identifier, reply: reply, at: now)
    }

    /// The plugin of a launch whose commit in flight decides whether the task runs.
    private func pluginStarting(_ identifier: TaskIdentifier) -> PluginIdentifier? {
        launches.numbers(running: identifier).lazy.compactMap(launches.find).first { launch in
            if case .starting = launch.phase { return true }
            return launch.execution?.arriving.contains { $0.work.identifier == identifier } ?? false
        }?.plugin
    }

    private func runningTask(_ identifier: TaskIdentifier) -> RunningTask? {
        for number in launches.numbers(running: identifier) {
            guard let execution = launches.listening(number),
                let index = execution.index(ofUnfinished: identifier)
            else { continue }
            let task = execution.tasks[index]
            return RunningTask(
                launch: number,
                id: task.id,
                identifier: identifier,
                submission: task.work.number,
                user: callingUser
            )
        }
        return nil
    }

    private mutating func stop(_ task: RunningTask, reply: ReplyToken, at now: Moment) {
        guard let execution = launches.listening(task.launch), let index = execution.index(of: task.id) else { return }
        let change = inFlight.nextChange()
        beginDeciding(over: task, as: change)
        if execution.entry == .returned {
            expire(task.launch, [index], because: .stoppedByPerson, at: now)
        } else {
            // During entry the task was not delivered, so it cannot expire yet.
            launches.execute(task.launch) { $0.tasks[index].isToStop = true }
        }
        stage(.stop(task, change, reply: reply), [.keepFromReturning(task.launch, task.submission)])
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
        let consequence = "\(task.identifier) is being stopped, but runs again if the host goes down first"
        emit(.answer(reply, .notRecorded(message: "\(consequence): \(message)")))
        endDeciding(over: task, as: change, at: now) { _ in }
        resumeOperations(about: task, at: now)
    }

    private mutating func resumeOperations(about task: RunningTask, at now: Moment) {
        guard let plugin = launches.find(task.launch)?.plugin else { return }
        resumeOperations(of: plugin, at: now)
        considerRequests(of: plugin, at: now)
    }
}

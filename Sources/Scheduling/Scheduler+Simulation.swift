// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Calls of users that override time, conditions and capacity, but never permission (statement 89).
extension Scheduler {
    mutating func requestRun(of identifiers: [TaskIdentifier], reply: ReplyToken, at now: Moment) {
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
            noteUse(of: request.plugin, at: now)
        }
        for plugin in Set(requested.map(\.plugin)).sorted() { considerRequests(of: plugin, at: now) }
        let launches = requested.compactMap { launch(about: $0.identifier, of: $0.plugin) }
        emit(.answer(reply, .launching(Set(launches).sorted())))
    }

    /// The launch to which the pending request of the identifier is being delivered, or that is being prepared for this
    /// request, otherwise the launch that occupies the request's lane. Nil without such a launch.
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
            let message = "no request with identifier \(identifier) is pending; submit one first"
            return .failure(NotLaunching(message: message))
        }
        let reasons = reasons(against: request, isLaunchedByUser: true, at: now)
        // A launch that a user requested waits for the end of a pause, like all work of the plugin.
        guard let first = reasons.first(where: { $0.kind != .pluginPaused }) else { return .success(plugin) }
        return .failure(
            NotLaunching(message: "\(identifier) cannot be launched now: \(first.message); \(first.remedy)")
        )
    }

    /// Expires a running task as at the end of its budget, on a user's call. Without such a task, the open assertions
    /// of the launch in which it ran expire.
    mutating func simulateExpiration(of identifier: TaskIdentifier, reply: ReplyToken, at now: Moment) {
        if let (number, index) = expirable(identifier) {
            launches.execute(number) { execution in
                if execution.tasks[index].isGoingOn { execution.tasks[index].isExpirationSimulated = true }
            }
        }
        expire(identifier, because: .budget, noting: .expirationSimulated, reply: reply, at: now)
    }

    /// Expires a task on a user's call.
    ///
    /// - Parameter event: the journal event of the call.
    mutating func expire(
        _ identifier: TaskIdentifier,
        because reason: ExpirationReason,
        noting event: JournalEntry.Event,
        reply: ReplyToken,
        at now: Moment
    ) {
        guard let (number, index) = expirable(identifier) else {
            let message =
                "no task with identifier \(identifier) is running, or its launch is still in entry or being killed;"
                + " list running tasks with: bgtask task list"
            return emit(.answer(reply, .notRunning(message: message)))
        }
        if let plugin = launches.find(number)?.plugin {
            noteCall(event, of: identifier, plugin, at: now)
        }
        expire(number, [index], because: reason, at: now)
        emit(.answer(reply, .expiring(number)))
    }

    /// The running launch and the index of an unfinished task of the identifier. Otherwise an ended task of the
    /// identifier in a launch whose tasks have all ended; nil when neither exists.
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
    mutating func noteCall(
        _ event: JournalEntry.Event,
        of identifier: TaskIdentifier,
        _ plugin: PluginIdentifier,
        at now: Moment
    ) {
        note(.call(event, of: identifier, plugin, at: now))
    }
}

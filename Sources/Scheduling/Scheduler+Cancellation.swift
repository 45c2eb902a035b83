// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Cancellation of requests. The answer is sent after the commit.
extension Scheduler {
    mutating func cancel(
        _ identifier: TaskIdentifier,
        of plugin: PluginIdentifier?,
        from launch: LaunchNumber?,
        claim: Claim.Key? = nil,
        reply: ReplyToken,
        at now: Moment
    ) {
        guard let owner = plugin.map({ mainPlugin(of: $0) }) ?? holder(of: identifier), plugins.contains(owner) else {
            return emit(.answer(reply, .cancelled(0)))
        }
        let cancellation = Cancellation(
            plugin: owner,
            identifier: identifier,
            launch: launch,
            claim: claim,
            reply: reply
        )
        cancel(cancellation, at: now)
    }

    mutating func cancelAll(
        of plugin: PluginIdentifier,
        from launch: LaunchNumber?,
        reply: ReplyToken,
        at now: Moment
    ) {
        let main = mainPlugin(of: plugin)
        guard plugins.contains(main) else { return emit(.answer(reply, .cancelled(0))) }
        cancel(Cancellation(plugin: main, identifier: nil, launch: launch, reply: reply), at: now)
    }

    /// Cancels pending requests. Running tasks continue, but are not requeued if they are interrupted (C3).
    private mutating func cancel(_ cancellation: Cancellation, at now: Moment) {
        let plugin = cancellation.plugin
        // The result of a change in flight is unknown: an answer that assumes it could be wrong.
        if isInFlight(cancellation) { return waiting.add(.cancel(cancellation), by: callingUser, for: plugin) }
        let change = inFlight.nextChange()
        let requests = pending(for: cancellation)
        var changes: [LedgerChange] = []
        var lines: [BoundedLines.Line] = []
        for request in requests {
            changes.append(.removeRequest(request.number))
            changes += cancellationLine(of: request, from: cancellation.launch, in: &lines, at: now)
            let identifier = request.request.identifier
            plugins[plugin].requests.begin(.removes(request.number), about: identifier, as: change)
        }
        let running = running(for: cancellation)
        for task in running {
            changes.append(.forbidRequeue(task.launch, task.submission))
            // The task goes on, and its end may be far: only this entry has the time of the call.
            if cancellation.launch == nil {
                changes.append(.journal(.call(.cancelRequested, of: task, plugin, at: now)))
            }
            beginDeciding(over: task, as: change)
        }
        let ends = endTransfers(among: requests, as: .cancelled, at: now)
        changes += ends.changes
        if changes.isEmpty { return emit(.answer(cancellation.reply, .cancelled(0))) }
        let staged = StagedCancellation(
            plugin: plugin,
            requests: requests,
            running: running,
            reply: cancellation.reply,
            change: change,
            origin: cancellation.launch,
            lines: lines,
            ends: ends
        )
        stage(.cancellation(staged), changes)
    }

    private func isInFlight(_ cancellation: Cancellation) -> Bool {
        let overlay = plugins[cancellation.plugin].requests.overlay
        return cancellation.identifier.map(overlay.contains) ?? !overlay.isEmpty
    }

    private func pending(for cancellation: Cancellation) -> [PendingRequest] {
        guard let identifier = cancellation.identifier else {
            return plugins[cancellation.plugin].requests.requests().filter {
                cancellation.covers($0.request.identifier)
            }
        }
        let request = plugins[cancellation.plugin].requests[identifier]
        return [request].compactMap { $0 }.filter { cancellation.covers(claim: $0.request.claim?.claim) }
    }

    private func running(for cancellation: Cancellation) -> [RunningTask] {
        let numbers =
            cancellation.identifier.map { launches.numbers(running: $0) } ?? launches.numbers(of: cancellation.plugin)
        return numbers.compactMap(launches.find).filter { $0.plugin == cancellation.plugin }.flatMap { launch in
            (launch.execution?.tasks ?? []).compactMap { task -> RunningTask? in
                guard task.outcome == nil, !task.wasCancelled, cancellation.covers(task.work.identifier),
                    cancellation.covers(claim: task.work.claim?.claim)
                else { return nil }
                return RunningTask(task, of: launch.number, by: callingUser)
            }
        }
    }

    mutating func settle(_ cancellation: StagedCancellation, at now: Moment) {
        let plugin = cancellation.plugin
        for task in cancellation.running {
            endDeciding(over: task, as: cancellation.change, at: now) { $0.cancel(by: task.user) }
        }
        for request in cancellation.requests {
            let identifier = request.request.identifier
            remove(identifier, request.number, of: plugin)
            plugins[plugin].requests.end(cancellation.change, about: identifier)
            takeFilesWithoutRequest(for: identifier, request.request.kind, of: plugin)
        }
        settle(cancellation.ends, of: plugin, at: now)
        expireCancelledTransfers(cancellation.running, at: now)
        emit(.answer(cancellation.reply, .cancelled(cancellation.requests.count)))
        resumeOperations(of: plugin, at: now)
        considerRequests(of: plugin, at: now)
        reevaluate(plugin, at: now)
    }

    mutating func rollBack(_ cancellation: StagedCancellation, because message: String, at now: Moment) {
        let plugin = cancellation.plugin
        for request in cancellation.requests {
            plugins[plugin].requests.end(cancellation.change, about: request.request.identifier)
        }
        takeBack(cancellation.ends, of: plugin, at: now)
        giveBack(cancellation.lines, of: cancellation.origin)
        for task in cancellation.running { endDeciding(over: task, as: cancellation.change, at: now) { _ in } }
        emit(.answer(cancellation.reply, .notRecorded(message: message)))
        resumeOperations(of: plugin, at: now)
        considerRequests(of: plugin, at: now)
        reevaluate(plugin, at: now)
    }

    // MARK: Operations that wait for a commit

    /// Resumes the operations that waited for a commit about the plugin, in order of arrival.
    mutating func resumeOperations(of plugin: PluginIdentifier, at now: Moment) {
        let presentUser = callingUser
        defer { callingUser = presentUser }
        for (operation, user) in waiting.take(for: plugin) {
            callingUser = user
            switch operation {
            case .cancel(let cancellation): cancel(cancellation, at: now)
            case .stop(let identifier, let reply): stopTask(identifier, reply: reply, at: now)
            case .stopLaunch(let launch, let reply): stopLaunch(launch, reply: reply, at: now)
            case .submit(let submission, let asker, let isForeground):
                submit(submission, for: asker, isForeground: isForeground, at: now)
            }
        }
    }

    /// Refuses the waiting cancellations that cover any of `works`. Called when the commit of `works` has failed.
    mutating func refuseCancellations(
        of plugin: PluginIdentifier,
        covering works: [PendingWork],
        because message: String,
        at now: Moment
    ) {
        let refused = waiting.takeCancellations(of: plugin, covering: works)
        for cancellation in refused { emit(.answer(cancellation.reply, .notRecorded(message: message))) }
        if !refused.isEmpty { resumeOperations(of: plugin, at: now) }
    }

    // MARK: Running tasks with a commit in flight

    /// Marks a change about a running task as in flight. If the launch's process ends before the result of the change
    /// is known, the launch is judged only after that result.
    mutating func beginDeciding(over task: RunningTask, as change: ChangeNumber) {
        guard let plugin = launches.find(task.launch)?.plugin else { return }
        launches.execute(task.launch) { $0.undecided += 1 }
        guard let identifier = task.identifier else { return }
        plugins[plugin].requests.begin(.forbidsReturn(of: task.submission), about: identifier, as: change)
    }

    mutating func endDeciding(
        over task: RunningTask,
        as change: ChangeNumber,
        at now: Moment,
        _ body: (inout Execution.Task) -> Void
    ) {
        guard let plugin = launches.find(task.launch)?.plugin else { return }
        if let identifier = task.identifier { plugins[plugin].requests.end(change, about: identifier) }
        launches.execute(task.launch) { execution in
            execution.undecided -= 1
            if let index = execution.index(of: task.id) { body(&execution.tasks[index]) }
        }
        concludeIfDecided(task.launch, at: now)
    }
}

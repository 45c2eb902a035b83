// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The record of a launch: one commit at a time, repeated until it succeeds.
extension Scheduler {
    /// Adds changes to the changes that a launch still has to record.
    ///
    /// - Parameters:
    ///   - work: the task that the changes end; its identifier is in flight until the changes are on disk.
    ///   - returns: whether the changes requeue the task.
    mutating func record(
        _ changes: [LedgerChange],
        ending work: PendingWork? = nil,
        returns: Bool = false,
        ends: TransferEnds = TransferEnds(),
        of number: LaunchNumber
    ) {
        var task: LaunchRecording.TaskEnd?
        if let work, let plugin = launches.find(number)?.plugin {
            let end = LaunchRecording.TaskEnd(work: work, change: inFlight.nextChange(), returns: returns)
            beginEnd(of: end, plugin: plugin)
            endTask(of: work.identifier, in: number)
            task = end
        }
        let step = LaunchRecording.Step(changes: changes + ends.changes, task: task, ends: ends)
        launches.update(number) { $0.record.waiting.append(step) }
        flush(number)
    }

    mutating func beginEnd(of task: LaunchRecording.TaskEnd, plugin: PluginIdentifier) {
        guard case .request(let request) = task.work else { return }
        let effect: RequestEffect = task.returns ? .returns(request) : .endsRunningTask
        plugins[plugin].requests.begin(effect, about: request.request.identifier, as: task.change)
    }

    /// Marks the launch as no longer running the identifier, unless it has another unfinished or arriving task of the
    /// identifier.
    mutating func endTask(of identifier: TaskIdentifier?, in number: LaunchNumber) {
        guard let identifier, let execution = launches.find(number)?.execution else { return }
        let hasOther =
            execution.index(ofUnfinished: identifier) != nil
            || execution.arriving.contains { $0.work.identifier == identifier }
        if !hasOther { launches.end(identifier, in: number) }
    }

    mutating func flush(_ number: LaunchNumber) {
        guard let record = launches.find(number)?.record, record.inFlight == nil, record.retryAt == nil,
            !record.waiting.isEmpty
        else { return }
        launches.update(number) { launch in
            launch.record.inFlight = launch.record.waiting
            launch.record.waiting = []
        }
        stage(.launchRecord(number), record.waiting.flatMap(\.changes))
    }

    mutating func recordingSucceeded(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.find(number), let written = launch.record.inFlight else { return }
        launches.update(number) { $0.record.inFlight = nil }
        let plugin = launch.plugin
        for reply in written.flatMap(\.replies) { emit(.answer(reply, .cursorRecorded)) }
        for task in written.compactMap(\.task) { settle(task, of: plugin, at: now) }
        for step in written { settle(step.ends, of: mainPlugin(of: plugin), at: now) }
        if launches.find(number)?.record.returning.isEmpty ?? true { loading.endRecovery(of: number) }
        flush(number)
        resumeOperations(of: plugin, at: now)
        // Work for other lanes does not wait until the end of this launch is recorded.
        if written.contains(where: { $0.task != nil }) { considerRequests(of: plugin, at: now) }
        releaseIfRecorded(number, at: now)
    }

    /// Applies the end of a task whose commit succeeded. A requeued task becomes pending again, unless a newer
    /// submission of its identifier was recorded before (C3).
    private mutating func settle(_ task: LaunchRecording.TaskEnd, of plugin: PluginIdentifier, at now: Moment) {
        switch task.work {
        case .request(let request):
            let identifier = request.request.identifier
            if task.returns, plugins[plugin].requests.number(of: identifier) == nil { place(request, at: now) }
            plugins[plugin].requests.end(task.change, about: identifier)
            // Only now does the ledger no longer keep the files that the function may have read.
            if !task.returns, takesDownloads(identifier, plugin) { emit(.sweepTransfers(plugin)) }
        case .event(let event):
            if task.returns { insert(event, at: now) }
            if event.type == .notification { alertEnded(event.number, at: now) }
            // The responses of uploads that the event reported are dropped.
            if event.session != nil, !task.returns { emit(.sweepTransfers(event.plugin)) }
        }
    }

    /// The interrupted work of the plugin whose requeueing is not on disk yet, ordered by number. Does not contain
    /// tasks that a newer pending request of their identifier supersedes.
    func workBeingRequeued(of plugin: PluginIdentifier) -> [PendingWork] {
        let works = launches.numbers(of: plugin).compactMap(launches.find).flatMap(\.record.returning)
        return works.filter { work in
            work.identifier.map { plugins[plugin].requests.number(of: $0) == nil } ?? true
        }.sorted { $0.number < $1.number }
    }

    mutating func recordingFailed(_ number: LaunchNumber, because message: String, at now: Moment) {
        guard let launch = launches.find(number), let failed = launch.record.inFlight else { return }
        let replies = launches.update(number) { launch in
            launch.record.inFlight = nil
            launch.record.retryAt = now.monotonic + configuration.hostRetryDelay
            return launch.record.returnFailed(failed)
        }
        for reply in replies ?? [] { emit(.answer(reply, .notRecorded(message: message))) }
        supersede(failed, of: launch)
        toEnforceAnew.insert(number)
        let works = launches.find(number)?.record.unrecorded.map(\.work) ?? []
        refuseCancellations(of: launch.plugin, covering: works, because: message, at: now)
    }

    /// Ends tasks instead of requeueing them, when the commit of the requeueing failed and a newer submission of the
    /// identifier was recorded in the meantime.
    private mutating func supersede(_ failed: [LaunchRecording.Step], of launch: ScheduledLaunch) {
        for identifier in failed.compactMap({ $0.task?.work.identifier }) {
            guard let newer = plugins[launch.plugin].requests.number(of: identifier) else { continue }
            supersede(identifier, by: newer, in: launch.number)
        }
    }

    /// Changes the steps that a launch still has to record: an older task of the identifier ends instead of being
    /// requeued, because the newer submission supersedes it.
    mutating func supersede(_ identifier: TaskIdentifier, by newer: SubmissionNumber, in number: LaunchNumber) {
        guard let plugin = launches.find(number)?.plugin else { return }
        for task in launches.update(number, { $0.record.supersede(identifier, by: newer) }) ?? [] {
            plugins[plugin].requests.end(task.change, about: identifier)
            plugins[plugin].requests.begin(.endsRunningTask, about: identifier, as: task.change)
        }
    }

    mutating func releaseIfRecorded(_ number: LaunchNumber, at now: Moment) {
        guard let launch = launches.find(number), launch.hasEnded, launch.record.isComplete else { return }
        release(number, at: now)
        // Requeued tasks may be due in other lanes, so these are evaluated too.
        for lane in Lane.allCases where lane != launch.lane { consider(launch.plugin, lane, at: now) }
    }
}

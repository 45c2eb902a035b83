// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Requests that their submitters take back; answered once the ledger knows.
extension Scheduler {
    mutating func cancel(
        _ identifier: TaskIdentifier,
        of plugin: PluginIdentifier?,
        reply: ReplyToken,
        at now: Moment
    ) {
        guard let owner = plugin.map({ mainPlugin(of: $0) }) ?? holder(of: identifier) else {
            return emit(.answer(reply, .cancelled(0)))
        }
        cancel(Cancellation(plugin: owner, identifier: identifier, reply: reply), at: now)
    }

    mutating func cancelAll(of plugin: PluginIdentifier, reply: ReplyToken, at now: Moment) {
        cancel(Cancellation(plugin: mainPlugin(of: plugin), identifier: nil, reply: reply), at: now)
    }

    func mainPlugin(of plugin: PluginIdentifier) -> PluginIdentifier {
        plugins[plugin]?.containingPlugin ?? plugin
    }

    /// The plugin that has the identifier pending or running, else the one that permits it.
    func holder(of identifier: TaskIdentifier) -> PluginIdentifier? {
        if let owner = owners[identifier], plugins[owner]?.expected[identifier] != nil { return owner }
        if let state = plugins.values.first(where: { $0.expected[identifier] != nil }) { return state.identifier }
        let running = launches.values.first { launch in
            launch.tasks.contains { $0.outcome == nil && $0.work.identifier == identifier }
        }
        return running?.plugin ?? owners[identifier]
    }

    /// Running tasks go on, but do not return should they be interrupted (C3).
    mutating func cancel(_ cancellation: Cancellation, at now: Moment) {
        let plugin = cancellation.plugin
        // What a commit under way decides is not known before: a promise on top of it could turn out to be false.
        if isBeingRecorded(cancellation) { return waitingCancellations.append(cancellation) }
        var changes: [LedgerChange] = []
        let requests = plugins[plugin]?.expected.all.filter { cancellation.covers($0.request.identifier) } ?? []
        for request in requests.sorted(by: { $0.number < $1.number }) {
            changes.append(.removeRequest(request.number))
            changes += endWait(of: .request(request), at: now)
            changes.append(
                .journal(
                    JournalEntry(
                        request,
                        .cancelled,
                        at: now,
                        message: "submission \(request.number) was cancelled before it ran"
                    )
                )
            )
            plugins[plugin]?.expected.remove(request.request.identifier)
            plugins[plugin]?.recording[request.request.identifier, default: 0] += 1
        }
        let marked = keepFromReturning(cancellation)
        for task in marked { plugins[plugin]?.recording[task.identifier, default: 0] += 1 }
        changes += marked.map { .keepFromReturning($0.launch, $0.submission) }
        if changes.isEmpty { return emit(.answer(cancellation.reply, .cancelled(0))) }
        stage(.cancellation(of: plugin, requests, running: marked, reply: cancellation.reply), changes)
    }

    /// Accepted, launched, ended, returning or cancelled by a commit whose result is not known yet.
    private func isBeingRecorded(_ cancellation: Cancellation) -> Bool {
        if plugins[cancellation.plugin]?.recording.keys.contains(where: { cancellation.covers($0) }) == true {
            return true
        }
        return launches.values.contains { launch in
            launch.plugin == cancellation.plugin
                && (launch.phase == .starting && launch.tasks.contains { cancellation.covers($0.work.identifier) }
                    || launch.unrecorded.contains { cancellation.covers($0.identifier) })
        }
    }

    /// After every commit: what was waited for may be known.
    mutating func resumeCancellations(at now: Moment) {
        if waitingCancellations.isEmpty { return }
        let waiting = waitingCancellations
        waitingCancellations = []
        for cancellation in waiting { cancel(cancellation, at: now) }
    }

    /// The ledger fails: who waits for what it should record hears of it, instead of waiting on.
    mutating func refuseCancellations(of unrecorded: [PendingWork], because message: String) {
        let waiting = waitingCancellations
        waitingCancellations = []
        for cancellation in waiting {
            if unrecorded.contains(where: { $0.plugin == cancellation.plugin && cancellation.covers($0.identifier) }) {
                emit(.answer(cancellation.reply, .notRecorded(message: message)))
            } else {
                waitingCancellations.append(cancellation)
            }
        }
    }

    private mutating func keepFromReturning(_ cancellation: Cancellation) -> [RunningTask] {
        var marked: [RunningTask] = []
        for number in launches.keys.sorted() {
            guard let launch = launches[number], launch.plugin == cancellation.plugin, launch.phase != .preparing
            else { continue }
            for index in launch.unfinished {
                let task = launch.tasks[index]
                guard let identifier = task.work.identifier, cancellation.covers(identifier), !task.wasCancelled
                else { continue }
                launches[number]?.undecided += 1
                marked.append(
                    RunningTask(launch: number, id: task.id, identifier: identifier, submission: task.work.number)
                )
            }
        }
        return marked
    }
}

extension Scheduler {
    /// Counts from the moment it is on disk: until then the end of the launch's process is not judged.
    mutating func keptFromReturning(_ task: RunningTask, isWritten: Bool, at now: Moment) {
        launches[task.launch]?.undecided -= 1
        if isWritten, let index = launches[task.launch]?.index(of: task.id) {
            launches[task.launch]?.tasks[index].wasCancelled = true
        }
        decideAnew(task.launch, at: now)
    }
}

/// What a caller wants taken back: one identifier of a plugin, or all that it has.
struct Cancellation: Hashable, Sendable {
    let plugin: PluginIdentifier
    let identifier: TaskIdentifier?
    let reply: ReplyToken

    /// Events have no identifier, and nobody to cancel them.
    func covers(_ other: TaskIdentifier?) -> Bool { other != nil && (identifier == nil || identifier == other) }
}

/// A task that was cancelled while it ran.
struct RunningTask: Hashable, Sendable {
    let launch: LaunchNumber
    let id: TaskID
    let identifier: TaskIdentifier
    let submission: SubmissionNumber
}

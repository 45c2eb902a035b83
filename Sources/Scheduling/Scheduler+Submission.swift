// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Requests on their way in and out: accepted, replaced, cancelled; answered once the ledger has them.
extension Scheduler {
    mutating func submit(_ submission: Submission, reply: ReplyToken, at now: Moment) {
        let identifier = submission.request.identifier
        let owner: PluginState
        switch self.owner(of: submission) {
        case .success(let state): owner = state
        case .failure(let refusal): return emit(.answer(reply, .refused(refusal)))
        }
        guard let entry = owner.entry else { return }
        let count = owner.expected.count(of: submission.request.kind, beside: identifier)
        if let refusal = SubmissionRules.refusal(
            of: submission.request,
            for: entry,
            pending: count,
            under: configuration
        ) {
            return emit(.answer(reply, .refused(refusal)))
        }
        lastSubmission = SubmissionNumber(rawValue: lastSubmission.rawValue + 1)
        let request = PendingRequest(
            plugin: entry.identifier,
            number: lastSubmission,
            request: submission.request,
            submitter: submission.submitter,
            submittedAt: now.wall
        )
        stage(request, payload: submission.payload, replacing: owner.expected[identifier], reply: reply, at: now)
    }

    private mutating func stage(
        _ request: PendingRequest,
        payload: [UInt8],
        replacing old: PendingRequest?,
        reply: ReplyToken,
        at now: Moment
    ) {
        var changes: [LedgerChange] = [.storeRequest(request, payload: payload)]
        if let old {
            changes.append(
                .journal(
                    JournalEntry(
                        old,
                        .replaced,
                        at: now,
                        message: "submission \(old.number) was replaced by submission \(request.number) before it ran"
                    )
                )
            )
        }
        stage(.submission(request, replacing: old?.number, reply: reply), changes)
        plugins[request.plugin]?.expected.set(request)
        plugins[request.plugin]?.recording[request.request.identifier, default: 0] += 1
    }

    /// The plugin that would be launched: the submitter itself, its main plugin, or the one that permits the identifier.
    private func owner(of submission: Submission) -> Result<PluginState, Refusal> {
        if isStopping {
            return .failure(
                Refusal(
                    code: .unavailable,
                    subReason: .hostStopping,
                    message: "the host is stopping; submit again when it is back"
                )
            )
        }
        let identifier = submission.request.identifier
        var owner = owners[identifier]
        if case .plugin(let submitter) = submission.submitter {
            owner = plugins[submitter]?.entry?.containingPlugin ?? submitter
        }
        if let owner, let state = plugins[owner], state.entry?.role == .main { return .success(state) }
        return .failure(
            Refusal(
                code: .notPermitted,
                subReason: .identifierNotPermitted,
                message: "identifier \(identifier) is permitted by no installed plugin;"
                    + " add it to permitted-identifiers in the manifest of the plugin that handles it"
            )
        )
    }

    mutating func cancel(
        _ identifier: TaskIdentifier,
        of plugin: PluginIdentifier?,
        reply: ReplyToken,
        at now: Moment
    ) {
        guard let owner = plugin.map({ mainPlugin(of: $0) }) ?? holder(of: identifier) else {
            return emit(.answer(reply, .cancelled(0)))
        }
        let requests = plugins[owner]?.expected[identifier].map { [$0] } ?? []
        cancel(requests, of: owner, running: { $0 == identifier }, reply: reply, at: now)
    }

    mutating func cancelAll(of plugin: PluginIdentifier, reply: ReplyToken, at now: Moment) {
        let owner = mainPlugin(of: plugin)
        let requests = plugins[owner]?.expected.all.sorted { $0.number < $1.number } ?? []
        cancel(requests, of: owner, running: { _ in true }, reply: reply, at: now)
    }

    func mainPlugin(of plugin: PluginIdentifier) -> PluginIdentifier {
        plugins[plugin]?.entry?.containingPlugin ?? plugin
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
    private mutating func cancel(
        _ requests: [PendingRequest],
        of plugin: PluginIdentifier,
        running matches: (TaskIdentifier) -> Bool,
        reply: ReplyToken,
        at now: Moment
    ) {
        var changes: [LedgerChange] = []
        for request in requests {
            changes.append(.removeRequest(request.number))
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
        var marked: [(LaunchNumber, TaskID)] = []
        for number in launches.keys.sorted() {
            guard let launch = launches[number], launch.plugin == plugin, launch.phase != .preparing else { continue }
            for index in launch.unfinished {
                let task = launch.tasks[index]
                guard let identifier = task.work.identifier, matches(identifier), !task.wasCancelled else { continue }
                launches[number]?.tasks[index].wasCancelled = true
                marked.append((number, task.id))
                changes.append(.keepFromReturning(number, task.work.number))
            }
        }
        if changes.isEmpty { return emit(.answer(reply, .cancelled(0))) }
        stage(.cancellation(of: plugin, requests, running: marked, reply: reply), changes)
    }
}

extension JournalEntry {
    /// What a submitter did to a request of its own.
    init(_ request: PendingRequest, _ event: Event, at now: Moment, message: String) {
        self.init(
            at: now.wall,
            event: event,
            plugin: request.plugin,
            label: request.request.identifier.text,
            submission: request.number,
            blame: .nobody,
            message: message
        )
    }
}

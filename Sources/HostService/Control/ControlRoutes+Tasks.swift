// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginCatalogue
import Scheduling
import TaskLedger
import TaskModel

// Replies about requests and tasks.
extension ControlRoutes {
    func trigger(_ text: String, _ body: PluginTrigger) async throws -> PluginTriggerReply {
        let plugin = try PluginIdentifier(validating: text)
        let trigger = Trigger(plugin: plugin, payload: try body.validated())
        switch await ask({ .triggered(trigger, reply: $0) }) {
        case .triggered(let number):
            return PluginTriggerReply(number, plugin: plugin, waiting: await pauses(of: [plugin])[plugin] ?? [])
        case .refused(let refusal)
        where refusal.subReason == .pluginMissing && !catalogue.contents.refused.contains { $0.identifier == plugin }:
            throw noSuchPlugin(plugin)
        case let answer: throw unexpected(answer)
        }
    }

    func cancel(_ text: String, _ query: TaskCancelQuery) async throws -> TaskCancellationReply {
        let identifier = try TaskIdentifier(validating: text)
        switch await ask({ .cancelRequested(identifier, of: nil, claim: query.claim, reply: $0) }) {
        case .cancelled(let count):
            // The empty result for an unknown task would look like that of a task without a pending request.
            if count == 0 { try await requireKnown(identifier) }
            return TaskCancellationReply(isCancelled: count > 0)
        case let answer: throw unexpected(answer)
        }
    }

    func stop(_ text: String) async throws -> TaskStopReply {
        let identifier = try TaskIdentifier(validating: text)
        switch await ask({ .taskStopRequested(identifier, reply: $0) }) {
        case .expiring(let launch): return TaskStopReply(launch: launch)
        case .cancelled: return TaskStopReply(launch: nil)
        case let answer: throw try await refusal(answer, of: [identifier])
        }
    }

    func why(_ text: String) async throws -> TaskWhyReply {
        let identifier = try TaskIdentifier(validating: text)
        let (explanation, now) = try await read { scheduler, now in (scheduler.explain(identifier, at: now), now) }
        let last = try await recorded { ledger in
            let filter = JournalFilter(label: identifier.text)
            return try ledger.journal(
                JournalSelection(filter: filter, outcomesOnly: true, newestFirst: true, limit: 1)
            ).first
        }
        let lastEvent = last == nil ? try await lastEvent(of: explanation) : nil
        var reply = TaskWhyReply(
            explanation,
            at: now,
            in: conditions.inForce,
            last: (last ?? lastEvent).map(TaskWhyReply.LastOutcome.init),
            history: try await history(of: explanation)
        ) { reason in
            // The remedy for a mistyped identifier of a schedule names the nearest one.
            guard case .identifierNotPermitted = reason, let schedule = explanation.schedule else { return nil }
            return problem(reason, of: schedule.task, at: now)
        }
        if reply.state == .unknown && reply.plugin == nil { throw noSuchTask(identifier, orPlugin: true) }
        if let plugin = reply.plugin {
            reply.cursor = try await cursors(of: [identifier.text])[plugin, identifier.text]
        }
        reply.claim = explanation.claim.map { ClaimInWhy($0.claim, lease: $0.lease) }
        return reply
    }

    /// The waits of the pending submission of the identifier; without one, of its newest task with a journaled outcome.
    /// They are the waits of its work class (the work of the plugin with the same requirements) while it was pending. A
    /// pending submission adds the wait for its own earliest begin. Nil when there is neither submission.
    private func history(of explanation: Explanation) async throws -> [TaskWhyReply.Wait]? {
        let now = explanation.now.wall
        for case .pending(let work, _, _) in explanation.states {
            let selection = WaitSelection(key: WaitKey(of: work), from: work.acceptedAt, limit: Self.mostWaits)
            let records = try await recorded { try $0.waits(selection) }
            let own = work.ownWait.map { [TaskWhyReply.Wait(submission: work.number, $0, now: now)] } ?? []
            return own + records.map { TaskWhyReply.Wait(submission: work.number, $0, since: work.readyAt, now: now) }
        }
        let label = explanation.identifier.text
        return try await recorded { ledger in
            guard let span = try ledger.pendingSpan(ofNewestTask: label) else { return nil }
            let records = try ledger.waits(WaitSelection(span, limit: Self.mostWaits))
            return records.map { TaskWhyReply.Wait(submission: span.submission, $0, since: span.since, now: now) }
        }
    }

    private static let mostWaits = 50

    /// The last journaled outcome of the plugin's events, when the explained identifier is that of a plugin; nil
    /// otherwise. Events are journaled by name, and the events of all plugins have the same names.
    private func lastEvent(of explanation: Explanation) async throws -> JournalRecord? {
        guard let plugin = explanation.plugin, plugin.text == explanation.identifier.text else { return nil }
        let names = EventType.allCases.map(\.name)
        let records = try await recorded { ledger in
            try names.flatMap { name in
                let filter = JournalFilter(plugin: plugin, label: name)
                return try ledger.journal(
                    JournalSelection(filter: filter, outcomesOnly: true, newestFirst: true, limit: 1)
                )
            }
        }
        return records.max { $0.number < $1.number }
    }

    func run(_ body: RunOrder) async throws -> RunReply {
        let identifiers = try body.validated()
        switch await ask({ .runRequested(identifiers, reply: $0) }) {
        case .launching(let launches): return RunReply(launching: launches, waiting: await pauses(of: identifiers))
        case let answer: throw try await refusal(answer, of: identifiers)
        }
    }

    /// The pauses for whose end the tasks wait.
    private func pauses(of tasks: [TaskIdentifier]) async -> [WaitingReason] {
        let plugins = await loop.read { scheduler, _ in Set(tasks.compactMap { scheduler.holder(of: $0) }) }
        return await pauses(of: plugins ?? []).sorted { $0.key < $1.key }.flatMap(\.value)
    }

    func simulateExpiration(_ body: ExpirationSimulation) async throws -> ExpirationSimulationReply {
        let identifier = try body.validated()
        switch await ask({ .expirationSimulated(identifier, reply: $0) }) {
        case .expiring(let launch): return ExpirationSimulationReply(launch: launch)
        case let answer: throw try await refusal(answer, of: [identifier])
        }
    }

    func simulateConditions(_ body: ConditionsSimulation) async throws -> ConditionsReply {
        let simulation = try body.validated()
        for (name, script) in simulation.lockedContainers.sorted(by: { $0.key < $1.key }) where script != .real {
            if let plugin = PluginIdentifier(name) { try await requireInstalled(plugin) }
        }
        return conditions.follow(simulation, by: caller?.callingUser)
    }

    func unexpected(_ answer: Answer) -> RouteError {
        switch answer {
        case .refused(let refusal): RouteError(refusal)
        case .notRecorded(let message): RouteError(.notRecorded, message)
        case .notLaunching(let message): RouteError(.notLaunching, message)
        case .notRunning(let message): RouteError(.notRunning, message)
        case .notPurged(let message): RouteError(.notPurged, message)
        case .cursorNotCleared(let message): RouteError(.cursorInUse, message)
        case .noSuchTransfer(let message): RouteError(.noSuchTransfer, message)
        case .submitted, .triggered, .pushed, .alerted, .transferPaused, .cancelled, .launching, .expiring, .stopping,
            .purged, .paused, .resumed,
            .cursorRecorded, .cursorCleared, .pushTokenChanged, .lease:
            RouteError(
                .unexpected,
                "the scheduler returned an answer that does not belong to this call; report this defect of bgtaskd"
            )
        }
    }
}

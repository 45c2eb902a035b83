// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// Launches pending requests of tasks, and submits requests for tasks that have none.
struct TaskLauncher {
    /// The kind of new requests; nil to determine it from the task.
    let kind: TaskKind?
    /// The payload of the new request; nil for none.
    let payload: [UInt8]?

    /// Whether the caller orders a new request in place of the pending one.
    private var ordersRequest: Bool { kind != nil || payload != nil }

    /// Launches the tasks. Tasks without a pending request get one.
    func launch(_ tasks: [TaskIdentifier], with client: ControlClient) async throws -> RunReport {
        if !ordersRequest {
            switch await run(tasks, with: client) {
            case .success(let reply): return RunReport(run: reply)
            case .failure(let error):
                let missing = error.isNotLaunching ? try await missing(among: tasks, with: client) : []
                if missing.isEmpty { throw error }
                return try await launch(tasks, submitting: missing, with: client)
            }
        }
        var answers: [TaskWhyReply] = []
        for task in tasks { answers.append(try await client.why(task)) }
        return try await launch(tasks, submitting: answers, with: client)
    }

    /// Launches one task, and returns the number of its request, which may wait.
    func launch(_ task: TaskIdentifier, with client: ControlClient) async throws -> (RunReport, submission: Int64) {
        let why = try await client.why(task)
        if !ordersRequest, let pending = why.submission {
            switch await run([task], with: client) {
            case .success(let reply): return (RunReport(run: reply), pending)
            case .failure(let error):
                // The request stays pending: the report has the reasons that block it.
                guard error.isNotLaunching else { throw error }
                return (RunReport(submitted: [], reasons: why.reasons), pending)
            }
        }
        let report = try await launch([task], submitting: [why], with: client)
        return (report, report.submitted.first?.submission ?? 0)
    }

    private func missing(among tasks: [TaskIdentifier], with client: ControlClient) async throws -> [TaskWhyReply] {
        var missing: [TaskWhyReply] = []
        for task in tasks {
            let why = try await client.why(task)
            if why.submission == nil { missing.append(why) }
        }
        return missing
    }

    private func launch(
        _ tasks: [TaskIdentifier],
        submitting explanations: [TaskWhyReply],
        with client: ControlClient
    ) async throws -> RunReport {
        var submitted: [TaskSubmissionReply] = []
        for why in explanations { submitted.append(try await submit(why, with: client)) }
        switch await run(tasks, with: client) {
        case .success(let reply): return RunReport(submitted: submitted, run: reply)
        case .failure(let error):
            guard error.isNotLaunching else { throw error }
            // The host has already launched the requests that could run at once. The other submitted requests are
            // pending, which is no error: the report has the reasons that block them.
            var reasons: [WaitingReason] = []
            for reply in submitted {
                guard let task = TaskIdentifier(reply.identifier) else { continue }
                let why = try await client.why(task)
                if why.submission == reply.submission { reasons += why.reasons }
            }
            if submitted.isEmpty { throw error }
            return RunReport(submitted: submitted, reasons: reasons)
        }
    }

    private func run(_ tasks: [TaskIdentifier], with client: ControlClient) async -> Result<RunReply, ControlError> {
        do { return .success(try await client.run(tasks)) } catch { return .failure(error) }
    }

    private func submit(_ why: TaskWhyReply, with client: ControlClient) async throws -> TaskSubmissionReply {
        guard let identifier = TaskIdentifier(why.identifier) else {
            throw ControlError.misunderstood(socket: client.socket, detail: "\(why.identifier) is no task identifier")
        }
        let request = TaskRequest(identifier: identifier, kind: try await kind(of: identifier, why, with: client))
        return try await client.submit(TaskSubmission(request, payload: payload ?? []))
    }

    // MARK: The kind

    /// The given kind, otherwise that of the schedule, of the pending request, of the last launch, or the only one that
    /// the manifest permits.
    private func kind(
        of task: TaskIdentifier,
        _ why: TaskWhyReply,
        with client: ControlClient
    ) async throws -> TaskKind {
        if let kind { return kind }
        for name in [why.kind, why.schedule?.kind, try await lastKind(of: task, why, with: client)] {
            guard let kind = name.flatMap({ TaskKind(name: $0) }) else { continue }
            if kind != .continued { return kind }
            throw CommandFailure(
                .refused,
                "\(task) is a continued task, which needs a title",
                remedy: "submit it with: bgtask task submit \(task) --kind continued --title TITLE"
            )
        }
        let kinds = try await permittedKinds(of: why, with: client)
        if kinds.count == 1 { return kinds[0] }
        let choices = kinds.isEmpty ? "refresh or processing" : kinds.map(\.name).joined(separator: " or ")
        throw CommandFailure(
            .refused,
            "the kind of \(task) is not known: it has no pending request, no schedule and no recorded launch",
            remedy: "give --kind \(choices)"
        )
    }

    private func lastKind(
        of task: TaskIdentifier,
        _ why: TaskWhyReply,
        with client: ControlClient
    ) async throws -> String? {
        guard let launch = why.lastOutcome?.launch else { return nil }
        var reply: LaunchReply?
        do { reply = try await client.launch(LaunchNumber(rawValue: launch)) } catch {
            // A refusal: the launch was pruned.
            guard case .refused = error else { throw error }
        }
        return reply?.tasks.first { $0.identifier == task.text }?.kind
    }

    private func permittedKinds(of why: TaskWhyReply, with client: ControlClient) async throws -> [TaskKind] {
        guard let plugin = why.plugin.flatMap({ PluginIdentifier($0) }) else { return [] }
        let modes = try await client.plugin(plugin).summary.modes
        return [BackgroundMode.fetch.rawValue: TaskKind.refresh, BackgroundMode.processing.rawValue: .processing]
            .filter { modes.contains($0.key) }.values.sorted { $0.rawValue < $1.rawValue }
    }
}

extension ControlError {
    /// Whether the host refused a launch because no request is pending, or because the request may not run.
    fileprivate var isNotLaunching: Bool {
        guard case .refused(_, let reply) = self else { return false }
        return reply.error.subReason == RouteError.SubReason.notLaunching.rawValue
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskModel

// Submission of requests by users: one, or many in one call.
extension ControlRoutes {
    /// Maximum number of requests of one batch for whose unknown identifiers the nearest names are searched. Each search
    /// compares the identifier with the names of all tasks.
    private static let mostSearches = 10

    func submit(_ body: TaskSubmission) async throws -> TaskSubmissionReply {
        let (request, payload) = try body.validated()
        let submission = Submission(request, payload: payload, as: body)
        switch await ask({ .submitted(submission, reply: $0) }) {
        case .refused(let refusal): throw self.refusal(refusal, of: request.identifier)
        case let answer: return try reply(answer, to: request, pauses: await pauses(of: Set(answer.plugins)))
        }
    }

    /// Checks a request by the rules of a submission, and stores nothing.
    func checkSubmission(_ body: TaskSubmission) async throws -> TaskDryRunReply {
        let (request, payload) = try body.validated()
        let submission = Submission(request, payload: payload, as: body)
        try await catalogue.waitUntilLoaded()
        switch try await read({ scheduler, now in scheduler.check(submission, at: now) }) {
        case .failure(let refusal): throw self.refusal(refusal, of: request.identifier)
        case .success(let (plugin, replaced)):
            return TaskDryRunReply(
                plugin: plugin,
                identifier: request.identifier,
                replacing: replaced,
                earliestBegin: request.earliestBegin,
                expiresAt: request.expiresAt,
                waiting: await pauses(of: [plugin])[plugin] ?? []
            )
        }
    }

    /// Submits the valid requests of a batch together: they wait for no answer of each other, so that their commits share
    /// few transactions. Returns when each request is committed or refused.
    func submit(_ batch: TaskBatch) async throws -> TaskBatchReply {
        try await checkLease(batch.lease)
        let requests = batch.validated()
        let answers = await ask(
            zip(batch.requests, requests).compactMap { body, entry in
                guard case .success(let (request, payload)) = entry, case .success(let body) = body else { return nil }
                let submission = Submission(request, payload: payload, as: body)
                return { .submitted(submission, reply: $0) }
            }
        )
        let pauses = await pauses(of: Set(answers.flatMap(\.plugins)))
        var (next, searches) = (answers.makeIterator(), 0)
        let results = requests.enumerated().map { index, entry -> TaskBatchResult in
            do throws(RouteError) {
                let request = try entry.get().request
                guard let answer = next.next() else { throw RouteError(.hostStopping()) }
                guard case .refused(let refusal) = answer else {
                    return .submitted(try reply(answer, to: request, pauses: pauses))
                }
                if refusal.subReason == .identifierNotPermitted { searches += 1 }
                throw searches > Self.mostSearches
                    ? RouteError(refusal) : self.refusal(refusal, of: request.identifier)
            } catch {
                // The refusal of an invalid request has a field, which contains the index already.
                return .refused((error.reply.error.field == nil ? error.within("requests[\(index)]") : error).reply)
            }
        }
        return TaskBatchReply(results: results)
    }

    private func reply(
        _ answer: Answer,
        to request: TaskRequest,
        pauses: [PluginIdentifier: [WaitingReason]]
    ) throws(RouteError) -> TaskSubmissionReply {
        guard case .submitted(let number, let plugin, let replaced) = answer else { throw unexpected(answer) }
        return TaskSubmissionReply(
            number,
            plugin: plugin,
            identifier: request.identifier,
            replacing: replaced,
            earliestBegin: request.earliestBegin,
            expiresAt: request.expiresAt,
            waiting: pauses[plugin] ?? []
        )
    }
}

extension Submission {
    /// The submission of a checked request by a user.
    ///
    /// - Parameter body: the body from which the request was read.
    fileprivate init(_ request: TaskRequest, payload: [UInt8], as body: TaskSubmission) {
        self.init(
            request: request,
            payload: payload,
            submitter: .user,
            restarts: body.restart == true,
            isOnlyIfSoon: body.onlyIfSoon == true
        )
    }
}

extension Answer {
    /// The plugin of an accepted request; empty for any other answer.
    fileprivate var plugins: [PluginIdentifier] {
        if case .submitted(_, let plugin, _) = self { [plugin] } else { [] }
    }
}

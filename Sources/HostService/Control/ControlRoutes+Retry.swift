// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskLedger
import TaskModel

// Retry by a user: the last request of a task is submitted again.
extension ControlRoutes {
    func retry(_ text: String) async throws -> TaskSubmissionReply {
        let identifier = try await identifier(of: try RetrySubject(validating: text))
        if let plugin = identifier.pushedPlugin {
            throw RouteError(
                .notRetryable,
                "\(identifier) is a push, and only the request of a task is retried",
                remedy: "send it again with \"bgtask push send \(plugin)\""
            )
        }
        let explanation = try await read { scheduler, now in scheduler.explain(identifier, at: now) }
        for state in explanation.states {
            if let refusal = refusal(of: identifier, because: state) { throw refusal }
        }
        guard let past = try await recorded({ try $0.pastRequest(of: identifier) }) else {
            try await requireKnown(identifier)
            throw RouteError(
                .notRetryable,
                "no ended request of \(identifier) is recorded",
                remedy: "submit one with \"bgtask task submit \(identifier) --kind KIND\""
            )
        }
        if case .submission(let number) = try RetrySubject(validating: text), number != past.request.number {
            throw RouteError(
                .notRetryable,
                "submission \(number) is not the last one of \(identifier) that ran, which is \(past.request.number)",
                remedy: "retry the last one with \"bgtask task retry \(identifier)\""
            )
        }
        let payload = try payload(toRetry: past)
        return try await submit(TaskSubmission(past.request.request.withoutTimes, payload: payload))
    }

    private func identifier(of subject: RetrySubject) async throws -> TaskIdentifier {
        switch subject {
        case .task(let identifier): return identifier
        case .submission(let number):
            let label = try await recorded { try $0.label(of: number) }
            if let identifier = label.flatMap({ TaskIdentifier($0) }) { return identifier }
            throw RouteError(
                .noSuchTask,
                "no task of submission \(number) is recorded",
                remedy: "list the submissions of a task with \"bgtask journal --identifier TASK\""
            )
        }
    }

    private func refusal(of identifier: TaskIdentifier, because state: Explanation.State) -> RouteError? {
        switch state {
        case .unknown: nil
        case .pending(let work, _, _):
            RouteError(
                .notRetryable,
                "\(identifier) has a pending request, submission \(work.number)",
                remedy: "run it now with \"bgtask run \(identifier)\", or cancel it first"
            )
        case .running(let launch, _, _):
            RouteError(
                .notRetryable,
                "\(identifier) is running in launch \(launch)",
                remedy: "wait for its end, or stop it with \"bgtask task stop \(identifier)\""
            )
        }
    }

    /// The payload of the last request, if its outcome permits a retry.
    private func payload(toRetry past: PastRequest) throws -> [UInt8] {
        let (identifier, number) = (past.request.request.identifier, past.request.number)
        switch past.outcome {
        case .succeeded, .noData, nil:
            throw RouteError(
                .notRetryable,
                "the last request of \(identifier), submission \(number), "
                    + (past.outcome.map { "ended as \($0.rawValue)" } ?? "has no outcome yet"),
                remedy: "run the task again with \"bgtask run \(identifier)\""
            )
        default: break
        }
        guard let payload = past.payload else {
            throw RouteError(
                .notRetryable,
                "the payload of submission \(number) is no longer kept",
                remedy: "submit the request with \"bgtask task submit \(identifier) --payload FILE\""
            )
        }
        return payload
    }
}

extension TaskRequest {
    /// The request without its earliest begin and its deadline, which belong to the past run.
    fileprivate var withoutTimes: TaskRequest {
        TaskRequest(
            identifier: identifier,
            kind: kind,
            earliestBegin: nil,
            requiresNetwork: requiresNetwork,
            requiresExternalPower: requiresExternalPower,
            protection: protection,
            continued: continued
        )
    }
}

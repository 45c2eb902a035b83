// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    /// Makes a request pending, with its current properties: later changes of the object have no effect. The request
    /// replaces the pending request with the same identifier.
    ///
    /// Blocks until the host has recorded the request. Apple's newest SDK deprecates this form in favour of
    /// ``submitTaskRequest(_:)``; here both exist and report the same errors.
    ///
    /// A submission by a main plugin for an identifier without a launch handler is a programming error: the host
    /// records it, and the process ends.
    ///
    /// - Throws: ``BGTaskScheduler/Error``.
    public func submit(_ taskRequest: BGTaskRequest) throws {
        guard let host = Host.current else { throw Error.withoutHost }
        let request = taskRequest.duplicate()
        let answer = host.submit(request)
        switch answer.status {
        case .ok:
            submissions.keep(request, as: answer.submission)
        case .unregistered:
            ProgrammingError.end(
                "no launch handler is registered for the task with identifier \"\(request.identifier)\";"
                    + " register a launch handler during entry, before the submission"
            )
        default:
            throw Error(answer)
        }
    }

    /// Makes a request pending, like ``submit(_:)``, without blocking the caller.
    ///
    /// - Throws: ``BGTaskScheduler/Error``.
    public func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Swift.Error>) in
            inBackground(submitting: taskRequest) { continuation.resume(with: $0) }
        }
    }

    /// Makes a request pending, like ``submit(_:)``, without blocking the caller.
    ///
    /// - Parameters:
    ///   - taskRequest: copied at once.
    ///   - completionHandler: called on an arbitrary queue, with nil once the request is pending, else with a
    ///     ``BGTaskScheduler/Error``.
    @preconcurrency
    public func submitTaskRequest(
        _ taskRequest: BGTaskRequest,
        completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        inBackground(submitting: taskRequest) { result in
            switch result {
            case .success: completionHandler(nil)
            case .failure(let error): completionHandler(error)
            }
        }
    }

    private func inBackground(
        submitting taskRequest: BGTaskRequest,
        _ answer: @escaping @Sendable (Result<Void, any Swift.Error>) -> Void
    ) {
        // Copied now, not when the queue runs the block.
        let request = taskRequest.duplicate()
        Host.waitingQueue.async { answer(Result { try self.submit(request) }) }
    }
}

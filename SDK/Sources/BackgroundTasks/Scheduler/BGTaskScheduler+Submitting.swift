// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension BGTaskScheduler {
    /// Sends a copy of the request to the host, and returns after the host has recorded it.
    func record(_ taskRequest: BGTaskRequest) throws {
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

    func inBackground(
        submitting taskRequest: BGTaskRequest,
        _ answer: @escaping @Sendable (Result<Void, any Swift.Error>) -> Void
    ) {
        // Copied now, not when the queue runs the block.
        let request = taskRequest.duplicate()
        Host.waitingQueue.async { answer(Result { try self.record(request) }) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The answer to `POST /v1/tasks/batch`, sent after all accepted requests are committed.
package struct TaskBatchReply: Codable, Hashable, Sendable {
    /// The results in the order of the requests.
    package let results: [TaskBatchResult]

    package init(results: [TaskBatchResult]) { self.results = results }
}

/// The result of one request of a batch: the answer that `POST /v1/tasks` gives for this request. The field of a
/// refusal contains the index of the request.
package enum TaskBatchResult: Hashable, Sendable {
    case submitted(TaskSubmissionReply)
    case refused(ErrorReply)
}

extension TaskBatchResult: Codable {
    private enum CodingKeys: String, CodingKey { case error }

    package init(from decoder: any Decoder) throws {
        if try decoder.container(keyedBy: CodingKeys.self).contains(.error) {
            self = .refused(try ErrorReply(from: decoder))
        } else {
            self = .submitted(try TaskSubmissionReply(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .submitted(let reply): try reply.encode(to: encoder)
        case .refused(let reply): try reply.encode(to: encoder)
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

/// The body of `POST /v1/tasks/batch`: requests that a user submits in one call. Each one is accepted or refused on its
/// own.
package struct TaskBatch: Sendable {
    package static let fields: [BodyField] = [.required("requests", .objects), .optional("lease", .text)]
    /// The permitted numbers of requests.
    package static let sizes = 1...1_000

    /// The requests in order: a submission, or the refusal of an entry that cannot be read.
    package let requests: [Result<TaskSubmission, RouteError>]
    /// The lease under which the requests have claims; nil for a batch without claims.
    package let lease: String?

    /// The decoded body of a call. Throws a refusal of the whole call for an invalid body or number of requests.
    package static func reading(_ data: Data) throws(RouteError) -> Self {
        // Before the body is parsed, whose cost grows with the number of its values.
        let count = ListScan.longestMember(of: data)
        if count > sizes.upperBound { throw wrongCount(count) }
        let parsed = try ParsedBody<Decoded>(data, fields, for: .taskSubmitBatch)
        try fields.check(parsed.members, for: .taskSubmitBatch)
        guard case .array(let values)? = parsed.members["requests"], sizes.contains(values.count) else {
            throw wrongCount(0)
        }
        let decoded = try parsed.decoded()
        let repeated = RepeatedField.inElements(of: data)
        let requests = values.indices.map { index in
            Result<TaskSubmission, RouteError> { () throws(RouteError) in
                try check(values[index], repeated: repeated[index])
                return try decoded.requests[index].submission.get()
            }
        }
        let lease = try decoded.lease.map { (name) throws(RouteError) in try LeaseName.validated(name, field: "lease") }
        return Self(requests: requests, lease: lease)
    }

    /// The checked requests with their payloads, in order; a refusal in place of each invalid one. The field of a
    /// refusal contains the index, such as `requests[3].kind`.
    package func validated() -> [Result<(request: TaskRequest, payload: [UInt8]), RouteError>] {
        requests.enumerated().map { index, entry in
            Result { () throws(RouteError) in try entry.get().validated(under: lease) }
                .mapError { $0.within("requests[\(index)]") }
        }
    }

    private static func check(_ value: JSONValue, repeated: String?) throws(RouteError) {
        guard case .object(let members) = value else {
            throw RouteError(.fieldType, "the request is \(value.words), not an object", remedy: "write an object")
        }
        if let repeated { throw .repeated(repeated, in: "the request") }
        // The messages are those of the route that takes the same fields as one request.
        try TaskSubmission.fields.check(members, for: .taskSubmit)
    }

    private static func wrongCount(_ count: Int) -> RouteError {
        RouteError(
            .requestCount,
            field: "requests",
            "the list of requests has \(count) entries; \(sizes.lowerBound) to \(sizes.upperBound) are allowed",
            remedy: count == 0 ? "send at least one request" : "send the requests in several batches"
        )
    }

    /// The body with each request decoded on its own: an invalid one does not affect the others.
    private struct Decoded: Decodable {
        let requests: [Entry]
        let lease: String?

        struct Entry: Decodable {
            let submission: Result<TaskSubmission, RouteError>

            init(from decoder: any Decoder) {
                do {
                    submission = .success(try TaskSubmission(from: decoder))
                } catch {
                    submission = .failure(.undecodable(error))
                }
            }
        }
    }
}

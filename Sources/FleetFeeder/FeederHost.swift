// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import ControlClient
import Fleet
import FoundationEssentials
import NIOCore
import TaskModel

/// A call of the host that failed.
package struct HostFailure: Error, CustomStringConvertible {
    package let description: String
}

/// The calls of a feeder to its host, each with a timeout that is shorter than the time after which the feeder returns a
/// claim that the host does not have.
package struct FeederHost: Sendable {
    private let client: ControlClient
    private let lease: String
    private static let timeout = Duration.seconds(20)

    package init(_ client: ControlClient, lease: String) {
        self.client = client
        self.lease = lease
    }

    func openClaims() async throws -> LeaseBody {
        let (status, body) = try await call("GET", "/v1/leases/\(lease)")
        // Before its first renewal the host does not have the lease.
        if status == 404 { return LeaseBody(acknowledged: 0, claims: []) }
        return try Self.decoded(status, body)
    }

    func journal(after number: Int64, limit: Int) async throws -> [ClaimedEntry] {
        let (status, body) = try await call("GET", "/v1/journal?claims=true&after=\(number)&limit=\(limit)")
        let page: ClaimJournalBody = try Self.decoded(status, body)
        return page.entries.map(\.claimed)
    }

    func capacity() async throws -> CapacityBody {
        let (status, body) = try await call("GET", "/v1/capacity")
        return try Self.decoded(status, body)
    }

    func setLease(trustedUntil end: BootTime, acknowledged: Int64) async throws {
        let order = LeaseOrder(trustedUntil: end, acknowledged: acknowledged)
        let (status, body) = try await call("PUT", "/v1/leases/\(lease)", order)
        guard (200..<300).contains(status) else { throw Self.failure(status, body) }
    }

    /// Submits items in as many batches as their size needs. The answers have the order of the items.
    func submit(_ items: [FleetItem]) async throws -> [SubmissionAnswer] {
        var answers: [SubmissionAnswer] = []
        for batch in try ClaimBatch.divided(items, lease: lease) { answers += try await submit(batch) }
        return answers
    }

    private func submit(_ batch: ClaimBatch) async throws -> [SubmissionAnswer] {
        guard let content = batch.body else { return [.refused(reason: "body-too-large", isPassing: false)] }
        let (status, body) = try await call("POST", "/v1/tasks/batch", json: Array(content))
        if let refusal = Self.refusal(of: status, body) {
            return [SubmissionAnswer](repeating: refusal, count: batch.items.count)
        }
        let reply: TaskBatchReply = try Self.decoded(status, body)
        guard reply.results.count == batch.items.count else {
            throw HostFailure(description: "\(reply.results.count) results for \(batch.items.count) requests")
        }
        return reply.results.map { result in
            switch result {
            case .submitted: .accepted
            case .refused(let reply): Self.answer(to: reply)
            }
        }
    }

    /// Cancels the request with a claim, and no newer request of its identifier. An ended request is no failure.
    func cancel(_ claim: Claim, of task: TaskIdentifier) async throws {
        let query = TaskCancelQuery(claim: claim.key)
        let (status, body) = try await call("DELETE", Route.taskCancel.path(task.text, query: query.items))
        guard (200..<300).contains(status) || status == 404 || status == 409 else { throw Self.failure(status, body) }
    }

    /// Sub-reasons that pass: of capacity, of a lease that is not trusted any more, and of a host that stops or cannot
    /// record.
    private static let passing: Set = [
        "no-capacity-now", "processing-limit", "refresh-limit", "lease-not-trusted", "submitter-may-not-schedule",
        "host-stopping", "not-recorded",
    ]

    /// The refusal of a whole batch, which is a refusal of each of its items; nil for any other answer. A repetition
    /// of the same batch would be refused again.
    static func refusal(of status: Int, _ body: Data) -> SubmissionAnswer? {
        guard (400..<500).contains(status), let reply = try? WireCoding.decode(ErrorReply.self, from: body) else {
            return nil
        }
        return answer(to: reply)
    }

    /// Any other refusal lasts until an operator changes the host.
    private static func answer(to reply: ErrorReply) -> SubmissionAnswer {
        let reason = reply.error.subReason
        return .refused(reason: reason, isPassing: passing.contains(reason))
    }

    private func call(_ method: String, _ target: String) async throws -> (Int, Data) {
        try await call(method, target, json: [])
    }

    private func call(_ method: String, _ target: String, _ body: some Encodable) async throws -> (Int, Data) {
        try await call(method, target, json: Array(WireCoding.encode(body)))
    }

    private func call(_ method: String, _ target: String, json: [UInt8]) async throws -> (Int, Data) {
        let client = client
        return try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            group.addTask {
                let answer = try await client.forward(method, target, body: json)
                var content = Data()
                try await answer.forEachPart { part in content.append(contentsOf: part.readableBytesView) }
                return (answer.status, content)
            }
            group.addTask {
                try await Task.sleep(for: Self.timeout)
                throw HostFailure(description: "the host did not answer within \(Self.timeout.components.seconds) s")
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    private static func decoded<Reply: Decodable>(_ status: Int, _ body: Data) throws -> Reply {
        guard (200..<300).contains(status) else { throw failure(status, body) }
        do {
            return try WireCoding.decode(Reply.self, from: body)
        } catch {
            throw HostFailure(description: "the host's answer is unexpected: \(WireCoding.explanation(of: error))")
        }
    }

    private static func failure(_ status: Int, _ body: Data) -> HostFailure {
        guard let reply = try? WireCoding.decode(ErrorReply.self, from: body) else {
            return HostFailure(description: "the host answered with status \(status)")
        }
        let remedy = reply.error.remedy.map { "; \($0)" } ?? ""
        return HostFailure(description: "the host refused the call: \(reply.error.message)\(remedy)")
    }
}

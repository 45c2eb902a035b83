// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import ControlAPI
internal import FoundationEssentials
internal import Scheduling
internal import TaskModel

/// The control API from the request line to the scheduler, without a socket: paths, queries, bodies, and the rules of
/// submissions.
///
/// The first line of an input is a method and a target, such as `POST /v1/tasks`. The body follows.
package struct ControlEntry: FuzzEntry {
    package init() {}

    package func problem(with bytes: [UInt8]) -> String? {
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let body = Data(bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
        let words = line.split(separator: " ", maxSplits: 1)
        guard let method = words.first, let target = words.dropFirst().first else { return nil }
        do {
            return try problem(method: String(method), target: String(target), body)
        } catch {
            return Self.flaw(of: error)
        }
    }

    private func problem(method: String, target: String, _ body: Data) throws(RouteError) -> String? {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? ""
        guard let (route, value) = Route.matching(method: method, path: path) else {
            throw RouteError.noSuchRoute(method: method, path: path)
        }
        let query = try QueryParameters(parts.dropFirst().first.map(String.init), of: route)
        if let flaw = try FuzzedQuery.problem(query, of: route) { return flaw }
        return try FuzzedCall(route: route, value: value ?? "", body: body).problem()
    }

    /// The flaw of a refusal: no status of an error, no message, or a body that clients cannot read; nil without a
    /// flaw.
    static func flaw(of refusal: RouteError) -> String? {
        guard (400...599).contains(refusal.status), !refusal.reply.error.message.isEmpty else {
            return "a refusal has the status \(refusal.status), or no message"
        }
        return flaw(ofReply: refusal.reply)
    }

    /// The flaw of a reply that cannot be encoded, printed on a terminal, or read again without a change; nil without a
    /// flaw.
    static func flaw<Reply: Codable & Equatable>(ofReply reply: Reply) -> String? {
        guard let json = try? WireCoding.encode(reply) else { return "a reply cannot be encoded" }
        if json.contains(where: { $0 < 0x20 || $0 == 0x7f }) { return "a reply has a control character" }
        guard let again: Reply = try? WireCoding.decode(from: json) else { return "a reply cannot be decoded" }
        return again == reply ? nil : "a reply changes in its encoding"
    }
}

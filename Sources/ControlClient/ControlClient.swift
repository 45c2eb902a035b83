// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
import ControlAPI
import FoundationEssentials
import NIOCore
import NIOHTTP1
package import TaskModel

/// Speaks to the host at one control socket. Never starts a host and never asks twice.
///
/// It lives inside `withConnection`: its connections are closed when that returns.
package struct ControlClient: Sendable {
    package let socket: String
    private let http: HTTPClient
    private let answerTimeout: Duration

    private static let largestAnswer = 64 << 20

    /// - Parameter answerTimeout: a control call is answered after one commit; a host that takes this long is stuck.
    package static func withConnection<Result>(
        to socket: String,
        answerTimeout: Duration = .seconds(30),
        _ body: (ControlClient) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(2)))
        // The peer is on this machine: it is there or it is not, and the operator is told at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(ControlClient(socket: socket, http: client, answerTimeout: answerTimeout))
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// Calls a route that takes no body, whatever its method.
    func ask<Reply: Decodable>(
        _ route: Route,
        _ value: String? = nil,
        query: [(name: String, value: String)] = []
    ) async throws(ControlError) -> Reply {
        try await answer(to: request(route, value, query: query))
    }

    func send<Reply: Decodable>(
        _ body: some Encodable,
        to route: Route,
        _ value: String? = nil
    ) async throws(ControlError) -> Reply {
        var request = request(route, value)
        do {
            request.body = .bytes(try WireCoding.encode(body))
        } catch {
            throw .misunderstood(socket: socket, detail: WireCoding.explanation(of: error))
        }
        request.headers.add(name: "content-type", value: "application/json")
        return try await answer(to: request)
    }

    /// The journal's stream, once the host has agreed to it.
    package func followJournal(
        after: Int64?,
        filter: JournalFilter = JournalFilter()
    ) async throws(ControlError) -> JournalFeed {
        let query = JournalQuery(after: after, isFollowing: true, filter: filter)
        let response = try await response(to: request(.journal, query: query.items))
        return JournalFeed(socket: socket, body: response.body)
    }

    /// The library's own deadline ends with the head of an answer; a host can hang behind it as well.
    private func inTime(_ call: @escaping @Sendable () async throws(ControlError) -> Data) async throws(ControlError)
        -> Data
    {
        let outcome = await withTaskGroup(of: Result<Data, ControlError>?.self) { group in
            group.addTask {
                do throws(ControlError) { return .success(try await call()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: answerTimeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let outcome else { throw .unreachable(socket: socket, cause: .noAnswer) }
        return try outcome.get()
    }

    private func request(
        _ route: Route,
        _ value: String? = nil,
        query: [(name: String, value: String)] = []
    ) -> HTTPClientRequest {
        let host = PercentCoding.encode(socket)
        var request = HTTPClientRequest(url: "http+unix://\(host)\(route.path(value, query: query))")
        request.method = .init(rawValue: route.method.rawValue)
        // A socket has no host name, and HTTP/1.1 wants one.
        request.headers.add(name: "host", value: "localhost")
        return request
    }

    private func answer<Reply: Decodable>(to request: HTTPClientRequest) async throws(ControlError) -> Reply {
        let data = try await inTime { () throws(ControlError) in
            try await content(of: response(to: request))
        }
        do {
            return try WireCoding.decode(Reply.self, from: data)
        } catch {
            throw .misunderstood(socket: socket, detail: WireCoding.explanation(of: error))
        }
    }

    /// A response with a status of success; every other one is thrown as what its body says.
    private func response(
        to request: HTTPClientRequest
    ) async throws(ControlError) -> HTTPClientResponse {
        let response: HTTPClientResponse
        do {
            response = try await http.execute(request, deadline: .distantFuture)
        } catch {
            throw .unreachable(socket: socket, cause: ConnectionFailure(error))
        }
        if (200..<300).contains(response.status.code) { return response }
        let status = Int(response.status.code)
        guard let reply = try? WireCoding.decode(ErrorReply.self, from: try await content(of: response)) else {
            throw .misunderstood(socket: socket, detail: "status \(status) without this API's error body")
        }
        throw .refused(status: status, reply)
    }

    private func content(of response: HTTPClientResponse) async throws(ControlError) -> Data {
        do {
            return Data(try await response.body.collect(upTo: Self.largestAnswer).readableBytesView)
        } catch {
            throw .unreachable(socket: socket, cause: ConnectionFailure(error))
        }
    }
}

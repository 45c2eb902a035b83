// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
package import ControlAPI
import FoundationEssentials
import NIOCore
import NIOHTTP1
package import TaskModel

/// A client of the host at one control socket. It never starts a host and never repeats a call.
///
/// It is valid only inside `withConnection`, which closes its connections when it returns.
package struct ControlClient: Sendable {
    package let socket: String
    private let http: HTTPClient
    private let answerTimeout: Duration

    /// Maximum size of an answer in bytes.
    static let largestAnswer = 64 << 20

    /// Runs `body` with a client for the host at `socket`.
    ///
    /// - Parameters:
    ///   - answerTimeout: maximum time of a call that needs at most one commit: a host that takes longer hangs. A batch
    ///     needs several commits and gets four times as long.
    ///   - connections: maximum number of calls at the same time; further ones wait.
    package static func withConnection<Result>(
        to socket: String,
        answerTimeout: Duration = .seconds(30),
        connections: Int = 8,
        _ body: (ControlClient) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(10)))
        // The peer is on this machine: if no process listens, a second attempt does not help, and the error is reported
        // at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The host closes idle connections after ten seconds. A call on a connection that the host closes at the same
        // time fails, so that the client closes first.
        configuration.connectionPool.idleTimeout = .seconds(5)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
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

    /// Calls a route without a body, with the HTTP method of the route.
    func ask<Reply: Decodable>(
        _ route: Route,
        _ value: String? = nil,
        query: [(name: String, value: String)] = []
    ) async throws(ControlError) -> Reply {
        try await answer(to: request(route, value, query: query), within: answerTimeout)
    }

    func send<Reply: Decodable>(
        _ body: some Encodable,
        to route: Route,
        _ value: String? = nil,
        query: [(name: String, value: String)] = []
    ) async throws(ControlError) -> Reply {
        let json: Data
        do {
            json = try WireCoding.encode(body)
        } catch {
            throw .misunderstood(socket: socket, detail: WireCoding.explanation(of: error))
        }
        return try await send(json: json, to: route, value, query: query)
    }

    /// Calls a route with a body that is already encoded.
    ///
    /// - Parameter factor: the maximum time of the call as a multiple of `answerTimeout`.
    func send<Reply: Decodable>(
        json: Data,
        to route: Route,
        _ value: String? = nil,
        query: [(name: String, value: String)] = [],
        within factor: Int = 1
    ) async throws(ControlError) -> Reply {
        var request = request(route, value, query: query)
        request.body = .bytes(json)
        request.headers.add(name: "content-type", value: "application/json")
        return try await answer(to: request, within: answerTimeout * factor)
    }

    /// The metrics of the host as text in a format.
    package func metrics(_ format: MetricsFormat) async throws(ControlError) -> String {
        var request = request(.metrics)
        request.headers.add(name: "accept", value: format.accept)
        let call = request
        let data = try await inTime(answerTimeout) { () throws(ControlError) in
            try await content(of: response(to: call))
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Opens the stream of journal entries: those after the number `after` and all new ones, or only new ones if
    /// `after` is nil. Returns when the host has accepted the call; a host that hangs is waited for without a limit.
    package func followJournal(
        after: Int64?,
        filter: JournalFilter = JournalFilter()
    ) async throws(ControlError) -> LineFeed<JournalLine> {
        let query = JournalQuery(after: after, isFollowing: true, filter: filter)
        let response = try await response(to: request(.journal, query: query.items))
        return LineFeed(socket: socket, subject: .journal, body: response.body)
    }

    /// Opens the stream of notifications: those after the number `after` and all new ones, or only new ones if `after`
    /// is nil. Returns when the host has accepted the call; a host that hangs is waited for without a limit.
    package func followNotifications(after: Int64?) async throws(ControlError) -> LineFeed<NotificationLine> {
        let query = NotificationQuery(after: after, isFollowing: true)
        let response = try await response(to: request(.notificationList, query: query.items))
        return LineFeed(socket: socket, subject: .notifications, body: response.body)
    }

    /// Opens the stream of log lines: the newest lines that the query selects, and then every new one. Returns when the
    /// host has accepted the call.
    package func followLogs(_ query: LogQuery) async throws(ControlError) -> LineFeed<LaunchLogLine> {
        var query = query
        query.isFollowing = true
        let response = try await response(to: request(.logs, query: query.items))
        return LineFeed(socket: socket, subject: .log, body: response.body)
    }

    /// Passes a call of another client on, and returns the answer of the host as it is. A host that hangs is waited for
    /// without a limit.
    ///
    /// - Parameter target: the path and the query, encoded as in a request line.
    package func forward(
        _ method: String,
        _ target: String,
        body: [UInt8]
    ) async throws(ControlError) -> ForwardedAnswer {
        var request = HTTPClientRequest(url: "http+unix://\(PercentCoding.encode(socket))\(target)")
        request.method = .init(rawValue: method)
        request.headers.add(name: "host", value: "localhost")
        if !body.isEmpty {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(body)
        }
        do {
            let response = try await http.execute(request, deadline: .distantFuture)
            let type = response.headers.first(name: "content-type")
            return ForwardedAnswer(status: Int(response.status.code), contentType: type, body: response.body)
        } catch {
            throw .unreachable(socket: socket, cause: ConnectionFailure(error))
        }
    }

    /// Runs a call with a timeout. The deadline of the HTTP library covers only the head of an answer, but a host can
    /// also hang within the body.
    private func inTime(
        _ timeout: Duration,
        _ call: @escaping @Sendable () async throws(ControlError) -> Data
    ) async throws(ControlError) -> Data {
        let outcome = await withTaskGroup(of: Result<Data, ControlError>?.self) { group in
            group.addTask {
                do throws(ControlError) { return .success(try await call()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
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
        // HTTP/1.1 requires a host name, and a socket has none.
        request.headers.add(name: "host", value: "localhost")
        return request
    }

    private func answer<Reply: Decodable>(
        to request: HTTPClientRequest,
        within timeout: Duration
    ) async throws(ControlError) -> Reply {
        let data = try await inTime(timeout) { () throws(ControlError) in
            try await content(of: response(to: request))
        }
        do {
            return try WireCoding.decode(Reply.self, from: data)
        } catch {
            throw .misunderstood(socket: socket, detail: WireCoding.explanation(of: error))
        }
    }

    /// The response to a successful call. For any other status, throws the error in the body.
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
            throw .misunderstood(socket: socket, detail: "status \(status) without an error body of this API")
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

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Scheduling
import TaskModel

/// Answers the requests of connections: applies the limits and the admission, finds the route, reads the body, and has
/// `ControlRoutes` build the reply.
struct ControlAnswers: Sendable {
    let admission: Admission
    let routes: ControlRoutes
    let connections: Connections
    let log: Logger
    private let batches = BatchTable()

    func answer(_ request: Request, from channel: any Channel, with writer: consuming ResponseWriter) async throws {
        let start = ContinuousClock.now
        let response = await response(to: request, from: channel)
        let route = Route.matching(method: request.method.rawValue, path: request.uri.path)?.route
        routes.metrics.note(route, code: response.status.code, took: start.duration(to: .now))
        try await writer.write(response: response.head, body: response.body)
        connections.setIdle(channel, true)
        guard connections[channel]?.isExcess == true else { return }
        // After the written response.
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    private func response(to request: Request, from channel: any Channel) async -> Response {
        do {
            guard let connection = connections[channel] else {
                throw RouteError(.tooManyConnections, "the host is closing this connection", remedy: "connect again")
            }
            // A connection without credentials is not admitted.
            guard let peer = connection.peer else {
                let problem = "the user of this connection is unknown, because the kernel returned no credentials"
                throw RouteError(.foreignUser, problem, remedy: "connect again")
            }
            if connection.isExcess { throw RouteError.tooManyConnections(user: peer.user) }
            return try await response(to: request, from: peer, over: channel)
        } catch let refusal as RouteError {
            return Self.response(for: refusal, to: request)
        } catch is CancellationError {
            return Self.response(for: RouteError(.hostStopping()), to: request)
        } catch {
            return Response(json: RouteError(.unexpected, "\(error)").reply, status: 500)
        }
    }

    private func response(to request: Request, from peer: Peer, over channel: any Channel) async throws -> Response {
        let role: ControlRole
        do {
            role = try admission.admit(peer)
        } catch {
            report(peer, request)
            throw error
        }
        let method = request.method.rawValue
        guard let (route, value) = Route.matching(method: method, path: request.uri.path) else {
            throw RouteError.noSuchRoute(method: method, path: request.uri.path)
        }
        try admission.permit(peer, route)
        return try await batches.admit(route, of: peer.user) {
            let call = ControlCall(
                route: route,
                value: value ?? "",
                query: try QueryParameters(request.uri.query, of: route),
                accept: request.headers[.accept],
                body: try await Self.body(of: request, for: route)
            )
            // From here on the caller waits for the host, not the host for the caller.
            connections.setIdle(channel, false)
            var routes = routes
            (routes.caller, routes.role) = (peer, role)
            return try await routes.answer(call)
        }
    }

    /// Journals the refused call of a launch as a violation of its plugin; only logs it when the launch is unknown. The
    /// scheduler bounds the entries per launch.
    private func report(_ peer: Peer, _ request: Request) {
        guard case .launch(let child) = peer.origin else { return }
        let program = peer.callingUser.command.map { " (\($0))" } ?? ""
        let call = "\(request.method.rawValue) \(request.uri.path)".bounded(toBytes: 200).terminalSafe
        let message =
            "process \(peer.process)\(program) called the control socket: \(call) was refused; call the host only by"
            + " the functions of bgtask.h or of the module BackgroundTasks"
        // An orphan that the host has adopted is no runner, so its launch is unknown.
        guard let launch = routes.loop.runners[child] else {
            return log.debug("a process of a launch: \(message)", metadata: ["child": "\(child)"])
        }
        routes.loop.post(.violated(launch, rule: .noControlCalls, message: message))
    }

    private static func response(for refusal: RouteError, to request: Request) -> Response {
        var response = Response(json: refusal.reply, status: refusal.status)
        if response.status == .methodNotAllowed {
            let allowed = Route.methods(at: request.uri.path).map(\.rawValue)
            response.headers[.allow] = allowed.joined(separator: ", ")
        }
        if refusal.reply.error.code == RouteError.Code.busy.rawValue {
            response.headers[.retryAfter] = "\(RouteError.retryDelay.components.seconds)"
            response.headers[.connection] = "close"
        }
        return response
    }

    private static func body(of request: Request, for route: Route) async throws -> Data {
        let body: Data
        let limit = route.maximumBody
        do {
            body = Data(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            let problem = "the body has more than \(limit) bytes"
            let remedy =
                if route == .taskSubmitBatch {
                    "send the requests in several batches"
                } else if route.takesBody {
                    "shorten it, or store a long payload in a file, and pass the path of that file"
                } else {
                    "send the request without a body"
                }
            throw RouteError(.bodyTooLarge, problem, remedy: remedy)
        }
        if route.takesBody || body.isEmpty { return body }
        throw RouteError(.bodyUnexpected, "\(route) takes no body", remedy: "send the request without a body")
    }
}

/// The parameters of one call.
struct ControlCall: Sendable {
    let route: Route
    /// The decoded parameter in the path; empty for a path without one.
    let value: String
    let query: QueryParameters
    /// The value of the field `Accept`; nil for none.
    let accept: String?
    let body: Data

    func decoded<Body: CallBody>() throws(RouteError) -> Body { try Body.reading(body, for: route) }
}

extension Response {
    init(json body: some Encodable, status: Int = 200) {
        do {
            var bytes = ByteBuffer(bytes: try WireCoding.encode(body))
            bytes.writeString("\n")
            self.init(
                status: .init(code: status),
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: bytes)
            )
        } catch {
            self.init(status: .internalServerError)
        }
    }

    init(yaml text: String) { self.init(text, type: "application/yaml") }

    init(_ text: String, type: String) {
        self.init(
            status: .ok,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HTTPTypes
import HostConfiguration
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves the control API over HTTP on a Unix socket; `ControlRoutes` builds the replies.
///
/// It uses Hummingbird's server without its application, whose date header needs a timer every second: an idle host has
/// to sleep.
struct ControlServer: Service {
    let socket: String
    let admission: Admission
    /// Timeout for idle connections and incomplete requests.
    let idleTimeout: Duration
    let routes: ControlRoutes
    let catalogue: CatalogueKeeper
    let log: Logger
    /// Log of the HTTP server library.
    let libraryLog: Logger
    /// Called once callers can connect.
    let onServing: @Sendable () -> Void

    /// Maximum number of connections; further callers wait in the socket's backlog. The limit leaves file descriptors
    /// for launches.
    private static let connections = 256
    /// Maximum size of a request body in bytes: a payload in base 64 plus the other fields.
    private static let maximumBody = 256 * 1_024
    /// Time for callers to disconnect when the host stops.
    private static let farewell: Duration = .seconds(1)

    /// Maximum time that the server waits for the catalogue before it serves calls. A host with very many plugins
    /// serves calls while it still reads manifests: until then lists are partial, and calls about single plugins wait.
    private static let catalogueLimit: Duration = .seconds(1)

    func run() async throws {
        try prepareSocket()
        await catalogue.waitUntilLoaded(within: Self.catalogueLimit)
        let routes = routes
        let admission = admission
        let server = try HTTPServerBuilder.http1(configuration: .init(idleTimeout: TimeAmount(idleTimeout)))
            .buildServer(
                configuration: ServerConfiguration(
                    address: .unixDomainSocket(path: socket),
                    availableConnectionsDelegate: .maximum(Self.connections, logger: log)
                ),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: libraryLog
            ) { request, writer, channel in
                let response = await Self.respond(to: request, from: channel, routes, admission)
                try await writer.write(response: response.head, body: response.body)
            } onServerRunning: { _ in
                openSocket()
                onServing()
            }
        try await Self.run(server)
    }

    private static func respond(
        to request: Request,
        from channel: any Channel,
        _ routes: ControlRoutes,
        _ admission: Admission
    ) async -> Response {
        do {
            // A connection without credentials is not admitted.
            let caller = try await Admission.caller(of: channel)
            guard let caller, admission.admits(caller) else {
                throw RouteError.notAdmitted(user: caller?.user ?? .max)
            }
            let method = request.method.rawValue
            guard let (route, value) = Route.matching(method: method, path: request.uri.path) else {
                throw RouteError.noSuchRoute(method: method, path: request.uri.path)
            }
            let call = ControlCall(
                route: route,
                value: value ?? "",
                query: try QueryParameters(request.uri.query, of: route),
                body: try await Self.body(of: request, for: route)
            )
            var routes = routes
            routes.caller = caller
            return try await routes.answer(route, call)
        } catch let refusal as RouteError {
            var response = Response(json: refusal.reply, status: refusal.status)
            if response.status == .methodNotAllowed {
                let allowed = Route.methods(at: request.uri.path).map(\.rawValue)
                response.headers[.allow] = allowed.joined(separator: ", ")
            }
            return response
        } catch {
            return Response(json: RouteError(.unexpected, "\(error)").reply, status: 500)
        }
    }

    private static func body(of request: Request, for route: Route) async throws -> Data {
        let body: Data
        do {
            body = Data(try await request.body.collect(upTo: maximumBody).readableBytesView)
        } catch is NIOTooManyBytesError {
            let problem = "the body has more than \(maximumBody) bytes"
            throw RouteError(.bodyTooLarge, problem, remedy: "store a long payload in a file and pass its name")
        }
        if route.takesBody || body.isEmpty { return body }
        throw RouteError(.bodyUnexpected, "\(route) takes no body", remedy: "send it without one")
    }

    /// Runs the server. When the host stops, connections that remain open beyond the farewell time are closed, so that
    /// they do not delay the host.
    private static func run(_ server: any Service) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: farewell)
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// Creates the directory of the socket, and checks the path. Throws when the path is unusable, or when another host
    /// listens on the socket. Leaves the socket of a dead host in place, to be replaced.
    private func prepareSocket() throws {
        let directory = (socket as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755]
            )
        } catch {
            throw HostError(
                code: .socketUnusable,
                message: "cannot create \(directory) for the control socket: \(error.systemMessage);"
                    + " choose another path with --socket"
            )
        }
        if socket.utf8.count > Self.longestPath {
            throw HostError(
                code: .socketUnusable,
                message: "the control socket's path \(socket) has \(socket.utf8.count) bytes; at most"
                    + " \(Self.longestPath) are allowed; choose a shorter one with --socket"
            )
        }
        var status = stat()
        if lstat(socket, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw HostError(
                code: .socketUnusable,
                message: "\(socket) exists and is not a socket; remove it, or choose another path with --socket"
            )
        }
        if SocketListener(at: socket).hasListener {
            throw HostError(
                code: .socketUnusable,
                message: "another host serves \(socket); stop it, or choose another path with --socket"
            )
        }
    }

    /// Maximum length of a socket's path in bytes: `sun_path` without its final zero.
    private static let longestPath = 107

    private func openSocket() {
        // Until now only the host's user could connect; without a group it stays that way.
        if let group = admission.group, chown(socket, uid_t.max, group.id) != 0 {
            let problem = String(cString: strerror(errno))
            return log.error(
                "the socket group cannot be set, so its members cannot use the socket: \(problem)",
                metadata: ["group": "\(group.name)"]
            )
        }
        chmod(socket, admission.group == nil ? 0o600 : 0o660)
    }
}

/// The parameters of one call.
struct ControlCall: Sendable {
    let route: Route
    /// The decoded parameter in the path; empty for a path without one.
    let value: String
    let query: QueryParameters
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

    init(yaml text: String) {
        self.init(
            status: .ok,
            headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

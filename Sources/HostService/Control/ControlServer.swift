// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves the control API over HTTP on a Unix socket; `ControlRoutes` builds the replies.
///
/// It uses Hummingbird's HTTP channel without its server, which can neither take a socket of the service manager nor
/// know the peers of its connections. An idle host sleeps: no timer runs without a connection.
struct ControlServer: Service {
    let socket: ControlSocket
    let lineage: ProcessLineage
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

    /// Time for callers to disconnect when the host stops.
    private static let farewell: Duration = .seconds(1)

    /// Maximum time that the server waits for the catalogue before it serves calls. A host with very many plugins
    /// serves calls while it still reads manifests: until then lists are partial, and calls about single plugins wait.
    private static let catalogueLimit: Duration = .seconds(1)

    func run() async throws {
        try socket.prepare()
        await catalogue.waitUntilLoaded(within: Self.catalogueLimit)
        let connections = Connections()
        let answers = ControlAnswers(admission: admission, routes: routes, connections: connections, log: log)
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                try await answers.answer(request, from: channel, with: writer)
            },
            configuration: .init(idleTimeout: TimeAmount(idleTimeout))
        )
        let descriptor = try socket.listen()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(descriptor) { [lineage, libraryLog] channel in
                let peer = Self.peer(of: channel, lineage)
                if connections.accept(channel, from: peer) { return http.setup(channel: channel, logger: libraryLog) }
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
            }
        // The library has set a shorter queue of callers.
        try socket.listen(on: descriptor)
        socket.open()
        onServing()
        try await Self.inTime {
            try await withGracefulShutdownHandler {
                try await server.executeThenClose { inbound in
                    await withDiscardingTaskGroup { group in
                        do {
                            for try await connection in inbound {
                                group.addTask { await http.handle(value: connection, logger: libraryLog) }
                            }
                        } catch {
                            log.error("callers cannot be accepted at the control socket, so the host ends: \(error)")
                        }
                    }
                }
            } onGracefulShutdown: {
                // While the socket listens, no other host has replaced it.
                socket.remove()
                server.channel.close(promise: nil)
                connections.stop()
            }
        }
    }

    /// The peer of a new connection; nil when it cannot be determined. Runs on the event loop of the channel.
    private static func peer(of channel: any Channel, _ lineage: ProcessLineage) -> Peer? {
        let peer = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            Peer(socket: $0, lineage: lineage)
        }
        return peer ?? nil
    }

    /// Runs the server. When the host stops, connections that remain open beyond the farewell time are closed, so that
    /// they do not delay the host.
    private static func inTime(_ serve: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await serve() }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: farewell)
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

/// The control socket of a host, and the lineage by which the host recognizes callers that belong to its own launches.
struct ControlPlace: Sendable {
    let socket: ControlSocket
    let lineage: ProcessLineage
}

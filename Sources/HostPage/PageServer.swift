// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves the page on 127.0.0.1 until the calling Swift task is cancelled.
package enum PageServer {
    /// Maximum number of connections. A browser opens six for all tabs of the page.
    static let connections = 128
    /// Maximum number of calls of the host at the same time: a stream for each browser, and the calls of screens.
    package static let hostConnections = 32

    /// Serves. Throws when the port cannot be used.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for any free one.
    ///   - onListening: runs with the port beside the server once browsers can connect. Its end ends the server.
    package static func serve(
        _ answerer: PageAnswerer,
        port: Int,
        onListening: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let open = OpenConnections(connections)
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try start(channel, in: open, answerer)
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        do {
            try await onListening(server.localAddress?.port ?? port)
        } catch {
            await end(server, open)
            throw error
        }
        await end(server, open)
    }

    private static func start(_ channel: any Channel, in open: OpenConnections, _ answerer: PageAnswerer) throws {
        let handlers = channel.pipeline.syncOperations
        guard let number = open.add(close: { channel.close(promise: nil) }) else {
            return try handlers.addHandler(FullServerHandler())
        }
        do {
            try handlers.configureHTTPServerPipeline(withErrorHandling: true)
            let client = try PageConnection.Channel(wrappingChannelSynchronously: channel)
            let port = channel.localAddress?.port ?? 0
            open.start(number) { noteToken in
                // A connection that breaks is an ordinary end of it.
                try? await PageConnection(client, noteToken: noteToken).serve(answerer, port: port)
            }
        } catch {
            open.remove(number)
            throw error
        }
    }

    private static func end(_ server: any Channel, _ open: OpenConnections) async {
        server.close(promise: nil)
        await open.end()
    }
}

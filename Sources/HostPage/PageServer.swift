// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves the page on 127.0.0.1 until the calling Swift task is cancelled.
package enum PageServer {
    /// Maximum number of connections. A browser has six, and each of its tabs shares them.
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
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    let client = try PageConnection.Channel(wrappingChannelSynchronously: channel)
                    let port = channel.localAddress?.port ?? 0
                    open.start { isOneTooMany in
                        // A connection that breaks is an ordinary end of it.
                        try? await PageConnection(client, isOneTooMany: isOneTooMany).serve(answerer, port: port)
                    }
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

    private static func end(_ server: any Channel, _ open: OpenConnections) async {
        server.close(promise: nil)
        await open.end()
    }
}

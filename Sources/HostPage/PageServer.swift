// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

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
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    return try PageConnection.Channel(wrappingChannelSynchronously: channel)
                }
            }
        let bound = server.channel.localAddress?.port ?? port
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await accept(from: server, answerer, port: bound) }
            group.addTask { try await onListening(bound) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func accept(
        from server: NIOAsyncChannel<PageConnection.Channel, Never>,
        _ answerer: PageAnswerer,
        port: Int
    ) async throws {
        let count = ConnectionCount()
        try await server.executeThenClose { clients in
            try await withThrowingDiscardingTaskGroup { group in
                for try await client in clients {
                    let isOneTooMany = count.add(1) > connections
                    group.addTask {
                        // A connection that breaks is an ordinary end of it.
                        try? await PageConnection(client, isOneTooMany: isOneTooMany).serve(answerer, port: port)
                        _ = count.add(-1)
                    }
                }
                group.cancelAll()
            }
        }
    }
}

/// The number of open connections.
private final class ConnectionCount: Sendable {
    private let count = Mutex(0)

    /// Changes the number, and returns the new one.
    func add(_ change: Int) -> Int {
        count.withLock { count in
            count += change
            return count
        }
    }
}

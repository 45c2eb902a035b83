// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import TaskModel

/// Serves `GET /metrics` over HTTP on a TCP port. Each request is one call of the host. The host itself opens no port.
package enum MetricsListener {
    /// Time for which a connection may be idle.
    private static let idleTimeout: TimeAmount = .seconds(75)

    /// The answer to a request for metrics.
    package enum Answer: Sendable {
        case metrics(String)
        /// The host did not answer; has the message.
        case unavailable(String)
    }

    /// Serves until the calling Swift task is cancelled. Throws when the address cannot be used.
    ///
    /// - Parameters:
    ///   - onListening: called with the address once clients can connect.
    ///   - metrics: returns the metrics in a format.
    package static func serve(
        on address: ListenAddress,
        onListening: @Sendable (String) -> Void,
        metrics: @escaping @Sendable (MetricsFormat) async -> Answer
    ) async throws {
        let places = MetricsPlaces()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handlers = channel.pipeline.syncOperations
                    try handlers.addHandler(IdleStateHandler(allTimeout: idleTimeout))
                    try handlers.configureHTTPServerPipeline(withErrorHandling: true)
                    let handler = MetricsHandler(
                        places: places,
                        requiresLocalHost: address.isLoopback,
                        metrics: metrics
                    )
                    try handlers.addHandler(handler)
                }
            }
            .bind(host: address.host, port: address.port).get()
        onListening(server.localAddress.flatMap(text) ?? "\(address.host):\(address.port)")
        await withTaskCancellationHandler {
            try? await server.closeFuture.get()
        } onCancel: {
            server.close(promise: nil)
        }
    }

    private static func text(_ address: SocketAddress) -> String? {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

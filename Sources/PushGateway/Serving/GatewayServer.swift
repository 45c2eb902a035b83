// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlClient
import NIOCore
import NIOPosix
package import NIOSSL

/// Serves senders on a TCP port until the calling Swift task is cancelled.
package enum GatewayServer {
    /// Serves, and stops in order: no new connection, answers to the requests in progress, and a GOAWAY to each client.
    /// Throws when the address cannot be used.
    ///
    /// - Parameters:
    ///   - tls: the certificate and the key; nil for connections in clear text.
    ///   - onListening: called with the address once clients can connect.
    package static func serve(
        _ gateway: Gateway,
        on address: ListenAddress,
        tls: NIOSSLContext?,
        onListening: @Sendable (String) -> Void
    ) async throws {
        try await serve(gateway, on: address, tls: tls, limits: GatewayLimits(), onListening: onListening)
    }

    static func serve(
        _ gateway: Gateway,
        on address: ListenAddress,
        tls: NIOSSLContext?,
        limits: GatewayLimits,
        onListening: @Sendable (String) -> Void
    ) async throws {
        let (answerer, connections) = (RequestAnswerer(gateway, limits: limits), OpenConnections(limits))
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                guard let key = connections.add(channel) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    let handlers = channel.pipeline.syncOperations
                    if let tls { try handlers.addHandler(NIOSSLServerHandler(context: tls)) }
                    let detector = ProtocolDetector(answerer: answerer) { connections.noteSender(key, $0) }
                    try handlers.addHandler(detector)
                }
            }
            .bind(host: address.host, port: address.port).get()
        onListening(server.localAddress.flatMap(text) ?? "\(address.host):\(address.port)")
        await withTaskCancellationHandler {
            try? await server.closeFuture.get()
        } onCancel: {
            answerer.stop()
            server.close(promise: nil)
        }
        answerer.stop()
        // Some clients close at a GOAWAY, and repeat the requests in progress.
        await answerer.drain()
        await connections.end(within: limits.stopTimeout)
    }

    private static func text(_ address: SocketAddress) -> String? {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlClient
import NIOCore
import NIOPosix
package import NIOSSL

/// Serves senders on a TCP port until the calling Swift task is cancelled.
package enum GatewayServer {
    /// Serves, and stops in order: no new connection, a GOAWAY to each client, and answers to the requests in progress.
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
        let (answerer, connections) = (RequestAnswerer(gateway), OpenConnections())
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                guard connections.add(channel) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    let handlers = channel.pipeline.syncOperations
                    if let tls { try handlers.addHandler(NIOSSLServerHandler(context: tls)) }
                    try handlers.addHandler(ProtocolDetector(answerer: answerer))
                }
            }
            .bind(host: address.host, port: address.port).get()
        onListening(server.localAddress.flatMap(text) ?? "\(address.host):\(address.port)")
        await withTaskCancellationHandler {
            try? await server.closeFuture.get()
        } onCancel: {
            server.close(promise: nil)
        }
        answerer.stop()
        await connections.end(within: GatewayLimits.stopTimeout)
    }

    private static func text(_ address: SocketAddress) -> String? {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

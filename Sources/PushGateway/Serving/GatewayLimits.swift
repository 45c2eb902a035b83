// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore

/// The bounds of a gateway's work for its clients.
package struct GatewayLimits: Sendable {
    /// Maximum size of the header fields of a request in bytes.
    static let headerBytes = 16384
    /// Maximum size of a body that is read to its end.
    static let discardedBytes = 1 << 20

    /// Maximum number of requests in progress of one key or webhook: half of `calls`.
    package static let senderCalls = 500
    /// Number of connections to the host. The host permits 128 of one user.
    package static let hostConnections = 64

    /// Maximum number of connections.
    var connections = 128
    /// Maximum time of a connection without an authenticated request while three quarters of the connections are taken.
    var scarceTimeout: TimeAmount = .seconds(5)
    /// Maximum number of requests in progress on one connection.
    var streams = 200
    /// Maximum number of HTTP/2 requests in progress on all connections, complete or not. Each keeps at most about
    /// 10 KB: its known header fields and 4 KB of its body.
    var openStreams = 2000
    /// Maximum number of requests in progress at the host.
    var calls = 1000
    /// Maximum time from the connection to the first bytes of a request, with the handshake of TLS.
    var handshakeTimeout: TimeAmount = .seconds(10)
    /// Maximum time of a request, from its first bytes to the end of its answer; in HTTP/1 also of a pause between two.
    var requestTimeout: TimeAmount = .seconds(60)
    /// Maximum time of an HTTP/2 connection without an authenticated request, from its start.
    var authenticationTimeout: TimeAmount = .seconds(60)
    /// Maximum time of an HTTP/2 connection without a request.
    var idleTimeout: TimeAmount = .seconds(600)
    /// Maximum time from the GOAWAY after `idleTimeout` to the end of the connection.
    var closeTimeout: TimeAmount = .seconds(20)
    /// Maximum time from an error of a client to the end of its connection.
    var errorTimeout: TimeAmount = .seconds(5)
    /// Maximum time from the stop of the gateway to the answers to the requests at the host.
    var drainTimeout: TimeAmount = .seconds(10)
    /// Maximum time from these answers to the end of all connections.
    var stopTimeout: TimeAmount = .seconds(10)
}

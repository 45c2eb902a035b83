// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import Synchronization

/// The bounds of a gateway's work for its clients.
enum GatewayLimits {
    /// Maximum number of connections.
    static let connections = 128
    /// Maximum number of requests in progress on one connection.
    static let streams = 200
    /// Maximum number of requests in progress at the host.
    static let calls = 1000
    /// Maximum size of the header fields of a request in bytes.
    static let headerBytes = 16384
    /// Maximum size of a body that is read to its end, so that the client receives the answer `PayloadTooLarge`.
    static let discardedBytes = 1 << 20
    /// Maximum time from the connection to the first bytes of a request, with the handshake of TLS.
    static let handshakeTimeout: TimeAmount = .seconds(10)
    /// Maximum time of a request, from its first bytes to the end of its answer; in HTTP/1 from the last answer.
    static let requestTimeout: TimeAmount = .seconds(60)
    /// Maximum time of an HTTP/2 connection without a request.
    static let idleTimeout: TimeAmount = .seconds(600)
    /// Maximum time from an error of a client to the end of its connection.
    static let errorTimeout: TimeAmount = .seconds(5)
    /// Maximum time from the stop of the gateway to the end of all requests.
    static let stopTimeout: TimeAmount = .seconds(20)
}

/// A count of taken places with a limit.
final class Places: Sendable {
    private let most: Int
    private let taken = Mutex(0)

    init(_ most: Int) { self.most = most }

    /// Takes a place; false when all are taken.
    func take() -> Bool {
        taken.withLock { count in
            if count == most { return false }
            count += 1
            return true
        }
    }

    func release() { taken.withLock { $0 -= 1 } }
}

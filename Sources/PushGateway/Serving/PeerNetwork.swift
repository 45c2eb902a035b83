// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import NIOCore

/// The network of a client: its IPv4 address, or the first 64 bits of its IPv6 address, because one machine may use all
/// addresses that begin with them.
struct PeerNetwork: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Parameter address: the address of the client; nil when its connection is closed already.
    init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        var all = [UInt8](repeating: 0, count: 16)
        guard case .v6 = address, inet_pton(AF_INET6, text, &all) == 1 else {
            bytes = Array(text.utf8)
            return
        }
        // The IPv6 forms of IPv4 addresses (::ffff:0:0/96) begin with 64 zero bits, and have to differ.
        bytes = all.prefix(8).allSatisfy { $0 == 0 } ? all : Array(all.prefix(8))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import NIOCore

/// The network of a client: its IPv4 address, or the first 64 bits of its IPv6 address, because one machine may use all
/// addresses that begin with them.
struct PeerNetwork: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Parameter address: the address of the client; nil when its connection is closed already.
    init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address):
            let all = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            // The IPv6 forms of IPv4 addresses (::ffff:0:0/96) begin with 64 zero bits, and have to differ.
            bytes = all.prefix(8).allSatisfy { $0 == 0 } ? all : Array(all.prefix(8))
        default: bytes = []
        }
    }
}

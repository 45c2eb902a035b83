// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore

/// The open connections of a gateway, and the rule about new ones. A new connection is refused only while all others
/// are protected. Otherwise it closes one at the limit.
///
/// Protected are the newest connections of each sender, at most a quarter of the limit, so that one sender excludes no
/// other. A connection without an authenticated request is not protected.
struct ConnectionTable {
    struct Key: Hashable, Sendable, Comparable {
        fileprivate let number: UInt64

        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    /// The result of a new connection.
    struct Opening: Hashable {
        /// The key of the connection; nil when it is refused.
        let key: Key?
        /// The connections to close.
        let closing: [Key]
    }

    private struct Connection {
        let peer: PeerNetwork
        let start: NIODeadline
        /// The sender of the first authenticated request; nil before it.
        var sender: String?
    }

    private let most: Int
    private let scarceTimeout: TimeAmount
    private var last: UInt64 = 0
    private var connections: [Key: Connection] = [:]

    /// - Parameters:
    ///   - most: maximum number of connections.
    ///   - scarceTimeout: maximum time of a connection without an authenticated request while three quarters of the
    ///     connections are taken.
    init(_ most: Int, scarceTimeout: TimeAmount) {
        self.most = most
        self.scarceTimeout = scarceTimeout
    }

    var count: Int { connections.count }
    private var isScarce: Bool { count >= most - most / 4 }

    mutating func open(from peer: PeerNetwork, at now: NIODeadline) -> Opening {
        var closing = isScarce ? overdue(at: now) : []
        for key in closing { close(key) }
        if count >= most, let displaced {
            close(displaced)
            closing.append(displaced)
        }
        if count >= most { return Opening(key: nil, closing: closing) }
        last += 1
        let key = Key(number: last)
        connections[key] = Connection(peer: peer, start: now)
        return Opening(key: key, closing: closing)
    }

    /// Notes the first authenticated request of a connection. Does nothing for a closed one.
    ///
    /// - Parameter sender: the key or the webhook.
    mutating func noteSender(_ key: Key, _ sender: String) { connections[key]?.sender = sender }

    mutating func close(_ key: Key) { connections[key] = nil }

    /// The connections without an authenticated request whose time is over while connections are scarce.
    private func overdue(at now: NIODeadline) -> [Key] {
        connections.filter { $0.value.sender == nil && now - $0.value.start >= scarceTimeout }.map(\.key).sorted()
    }

    /// The connection that closes for a new one at the limit: the oldest unprotected one of the network with the most.
    /// A flood from one network closes its own connections, and not those of others in their handshakes. Nil when all
    /// are protected.
    private var displaced: Key? {
        let protected = protected
        let unprotected = connections.filter { !protected.contains($0.key) }
        let counts = Dictionary(unprotected.values.map { ($0.peer, 1) }, uniquingKeysWith: +)
        return unprotected.min { one, other in
            let (first, second) = (counts[one.value.peer, default: 0], counts[other.value.peer, default: 0])
            return first == second ? one.key < other.key : first > second
        }?.key
    }

    private var protected: Set<Key> {
        let authenticated = connections.filter { $0.value.sender != nil }
        let bySender = Dictionary(grouping: authenticated) { $0.value.sender }
        return Set(bySender.values.flatMap { $0.map(\.key).sorted().suffix(max(1, most / 4)) })
    }
}

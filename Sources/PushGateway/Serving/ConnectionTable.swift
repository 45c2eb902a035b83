// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore

/// The places of a gateway's connections. A stranger, a client without an authenticated request, holds no place that a
/// new client needs: near the limit its time is short, and at the limit the oldest stranger makes room.
struct ConnectionTable {
    struct Key: Hashable, Sendable, Comparable {
        fileprivate let number: UInt64

        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    /// The result of a new connection.
    struct Opening: Hashable {
        /// The key of the connection; nil when it is refused.
        let key: Key?
        /// The strangers whose connections close.
        let closing: [Key]
    }

    private let most: Int
    private let strangerTimeout: TimeAmount
    private var last: UInt64 = 0
    private var senders: Set<Key> = []
    /// The connections without an authenticated request, with their starts.
    private var strangers: [Key: NIODeadline] = [:]

    /// - Parameters:
    ///   - most: maximum number of connections.
    ///   - strangerTimeout: maximum time of a stranger's connection while three quarters of the places are taken.
    init(_ most: Int, strangerTimeout: TimeAmount) {
        self.most = most
        self.strangerTimeout = strangerTimeout
    }

    var count: Int { senders.count + strangers.count }
    private var isScarce: Bool { count >= most - most / 4 }

    mutating func open(at now: NIODeadline) -> Opening {
        var closing: [Key] = []
        if isScarce { closing = strangers.filter { now - $0.value >= strangerTimeout }.map(\.key).sorted() }
        for key in closing { close(key) }
        if count >= most, let oldest = strangers.keys.min() {
            close(oldest)
            closing.append(oldest)
        }
        if count >= most { return Opening(key: nil, closing: closing) }
        last += 1
        let key = Key(number: last)
        strangers[key] = now
        return Opening(key: key, closing: closing)
    }

    /// Notes an authenticated request of a connection; does nothing for a closed one.
    mutating func noteSender(_ key: Key) {
        if strangers.removeValue(forKey: key) != nil { senders.insert(key) }
    }

    mutating func close(_ key: Key) {
        strangers[key] = nil
        senders.remove(key)
    }
}

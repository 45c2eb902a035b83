// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The open connections of the control socket by user, and the rule about new ones: a user with many idle connections
/// does not exclude other users, because an idle connection is closed in favour of a new one. It closes no connection
/// itself. The cost of a search is bounded, because the limits bound the number of connections.
struct ConnectionTable<Key: Hashable> {
    struct Limits {
        /// Maximum number of connections per user.
        var perUser = 128
        /// Maximum number of connections. The limit leaves file descriptors for launches.
        var total = 256
        /// Number of connections out of `total` that only root can use. Root can have more, and an idle one beyond them
        /// is closed in favour of a connection of another user.
        var forRoot = 16
    }

    enum Verdict: Hashable {
        case accepted
        /// Accepted after an idle connection is closed.
        case acceptedInPlace(of: Key)
        /// Refused: the limits are reached, and no connection that may be closed in its place is idle.
        case refused
    }

    private struct Connection {
        let user: UInt32
        var isIdle = true
        /// The number of the last change of `isIdle`. The changes in the whole table are numbered in order, so the
        /// connection with the lowest number has been unchanged for the longest time.
        var turn: UInt64
    }

    private let limits: Limits
    private var connections: [Key: Connection] = [:]
    private var counts: [UInt32: Int] = [:]
    private var turn: UInt64 = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    var count: Int { connections.count }

    /// Adds a connection of a user, unless it is refused. When a limit is reached, an idle connection that the new
    /// one displaces is removed from the table.
    mutating func open(_ key: Key, user: UInt32) -> Verdict {
        let own = counts[user, default: 0]
        let ofRoot = counts[0, default: 0]
        // A connection of root is not closed for another user while the other users have all connections that are not
        // reserved for root.
        let othersAreFull = user != 0 && connections.count - ofRoot >= limits.total - limits.forRoot
        guard own >= limits.perUser || othersAreFull || connections.count >= limits.total else {
            add(key, user: user)
            return .accepted
        }
        let isDisplaced: (UInt32) -> Bool =
            own >= limits.perUser
            ? { $0 == user }
            : { other in
                if other == user { return true }
                if other == 0 { return !othersAreFull && ofRoot > self.limits.forRoot }
                return self.counts[other, default: 0] > own
            }
        guard let oldest = oldestIdle(where: isDisplaced) else { return .refused }
        close(oldest)
        add(key, user: user)
        return .acceptedInPlace(of: oldest)
    }

    /// Marks a connection as having a call in progress, or as idle: no call, or one whose request is incomplete.
    mutating func setIdle(_ key: Key, _ isIdle: Bool) {
        turn += 1
        connections[key]?.isIdle = isIdle
        connections[key]?.turn = turn
    }

    mutating func close(_ key: Key) {
        guard let connection = connections.removeValue(forKey: key) else { return }
        let rest = counts[connection.user, default: 1] - 1
        counts[connection.user] = rest == 0 ? nil : rest
    }

    private mutating func add(_ key: Key, user: UInt32) {
        turn += 1
        connections[key] = Connection(user: user, turn: turn)
        counts[user, default: 0] += 1
    }

    /// The connection to close in favour of a new one, among the idle connections of the users that `isDisplaced`
    /// selects: of the user with the most connections, the one that has been idle longest. Nil when there is none.
    private func oldestIdle(where isDisplaced: (UInt32) -> Bool) -> Key? {
        let idle = connections.filter { $0.value.isIdle && isDisplaced($0.value.user) }
        return idle.min { one, other in
            let (first, second) = (counts[one.value.user, default: 0], counts[other.value.user, default: 0])
            return first == second ? one.value.turn < other.value.turn : first > second
        }?.key
    }
}

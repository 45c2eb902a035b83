// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// The token bucket of the alerts to one plugin: a burst at once, then a steady rate. It is full after a restart of the
/// host. A pure value.
///
/// The senders share the bucket. A sender has at most as many of its tokens as are free, and the senders of one user
/// together three times as many: a sender that floods leaves tokens to the others. Each interval returns one token, of
/// the users with tokens in turn, and of the senders of a user in turn.
struct AlertRate: Sendable {
    /// Number of alerts that the host accepts for a plugin at once.
    static let burst = 100
    /// Time in which the host accepts one further alert for the plugin.
    static let interval: Duration = .seconds(1)
    /// Number of tokens of one user for each free token.
    private static let userShare = 3

    /// The tokens that each user has; users without tokens are absent.
    private var users: [UInt32: UserTokens] = [:]
    /// The users with tokens, in the order in which they return one.
    private var turns: Deque<UInt32> = []
    private var taken = 0
    /// The time to which tokens are returned; of no meaning while none is taken.
    private var returnedAt: MonotonicTime

    init(at now: MonotonicTime) { returnedAt = now }

    /// The time until the next alert of a sender is accepted; nil when one is accepted now.
    func wait(of sender: PushSender, at now: MonotonicTime) -> Duration? {
        var later = self
        later.returnTokens(at: now)
        if later.accepts(sender) { return nil }
        repeat { later.returnNext() } while !later.accepts(sender)
        return later.returnedAt - now
    }

    /// Takes the token of one accepted alert.
    mutating func take(for sender: PushSender, at now: MonotonicTime) {
        returnTokens(at: now)
        if taken == 0 { returnedAt = now }
        taken += 1
        if users[sender.user] == nil { turns.append(sender.user) }
        users[sender.user, default: UserTokens()].take(for: sender)
    }

    /// Returns the token of an alert that was not accepted after all.
    mutating func giveBack(_ sender: PushSender) {
        guard users[sender.user]?.giveBack(sender) == true else { return }
        taken -= 1
        if users[sender.user]?.taken == 0 { remove(sender.user) }
    }

    private func accepts(_ sender: PushSender) -> Bool {
        let free = Self.burst - taken
        guard let user = users[sender.user] else { return free > 0 }
        return user.taken < free * Self.userShare && user.taken(by: sender) < free
    }

    private mutating func returnTokens(at now: MonotonicTime) {
        while taken > 0, now - returnedAt >= Self.interval { returnNext() }
    }

    private mutating func returnNext() {
        returnedAt = returnedAt + Self.interval
        guard let user = turns.popFirst() else { return }
        taken -= 1
        users[user]?.returnNext()
        if users[user]?.taken == 0 { users[user] = nil } else { turns.append(user) }
    }

    private mutating func remove(_ user: UInt32) {
        users[user] = nil
        turns.removeAll { $0 == user }
    }
}

/// The tokens of the senders of one user.
private struct UserTokens: Sendable {
    private(set) var taken = 0
    /// The tokens that each sender has; senders without tokens are absent.
    private var senders: [PushSender: Int] = [:]
    /// The senders with tokens, in the order in which they return one.
    private var turns: Deque<PushSender> = []

    func taken(by sender: PushSender) -> Int { senders[sender] ?? 0 }

    mutating func take(for sender: PushSender) {
        if senders[sender] == nil { turns.append(sender) }
        senders[sender, default: 0] += 1
        taken += 1
    }

    /// Returns a token of a sender. Returns false when it has none.
    mutating func giveBack(_ sender: PushSender) -> Bool {
        guard let count = senders[sender] else { return false }
        taken -= 1
        senders[sender] = count > 1 ? count - 1 : nil
        if count == 1 { turns.removeAll { $0 == sender } }
        return true
    }

    mutating func returnNext() {
        guard let sender = turns.popFirst(), let count = senders[sender] else { return }
        taken -= 1
        senders[sender] = count > 1 ? count - 1 : nil
        if count > 1 { turns.append(sender) }
    }
}

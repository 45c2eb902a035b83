// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// One sender of a user, or the further senders of the user, which share one count.
struct PushGroup: Hashable, Sendable {
    let user: UInt32
    /// The name of the sender; nil for the further senders.
    let name: [UInt8]?
}

/// The numbers of kept pushes of one plugin by user and by sender.
///
/// Clients choose the names of senders, so that the number of names has no bound: a user has a bounded number of senders
/// with a count of their own.
struct PushCounts: Hashable, Sendable {
    /// Maximum number of senders of a user with a count of their own.
    static let senders = 64

    private struct User: Hashable, Sendable {
        var total = 0
        /// Groups without pushes are absent.
        var groups: [PushGroup: Int] = [:]
    }

    /// Users without pushes are absent.
    private var users: [UInt32: User] = [:]

    /// The group that counts the next push of a sender.
    func group(of sender: PushSender) -> PushGroup {
        let own = PushGroup(user: sender.user, name: sender.name)
        guard let groups = users[sender.user]?.groups else { return own }
        let further = PushGroup(user: sender.user, name: nil)
        let separate = groups.count - (groups[further] == nil ? 0 : 1)
        return groups[own] != nil || separate < Self.senders ? own : further
    }

    mutating func add(_ group: PushGroup) {
        users[group.user, default: User()].total += 1
        users[group.user, default: User()].groups[group, default: 0] += 1
    }

    mutating func remove(_ group: PushGroup) {
        guard let count = users[group.user]?.groups[group] else { return }
        users[group.user]?.total -= 1
        users[group.user]?.groups[group] = count > 1 ? count - 1 : nil
        if users[group.user]?.total == 0 { users[group.user] = nil }
    }

    /// The group with the most pushes of the user with the most; of equal ones the first by number and name. Nil when
    /// there are no pushes.
    var largest: PushGroup? {
        let user = users.max { ($0.value.total, $1.key) < ($1.value.total, $0.key) }
        return user?.value.groups.max { first, second in
            first.value < second.value || first.value == second.value && second.key.precedes(first.key)
        }?.key
    }
}

extension PushGroup {
    /// Whether the group is before another one of the user; the further senders are last.
    fileprivate func precedes(_ other: PushGroup) -> Bool {
        guard let name else { return false }
        return other.name.map { name.lexicographicallyPrecedes($0) } ?? true
    }
}

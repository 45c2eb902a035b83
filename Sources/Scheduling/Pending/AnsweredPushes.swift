// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// The newest accepted pushes of one plugin whose senders gave them identifiers. A repetition within ten minutes gets
/// the answer of the first push.
///
/// The plugin has one limit. Above it the oldest push of the sender with the most of them is dropped, first among users
/// and then among the senders of this user: no sender displaces the pushes of another one that has fewer.
struct AnsweredPushes: Hashable, Sendable {
    /// Maximum number of pushes.
    static let limit = 1_000
    static let retention: Duration = .seconds(600)

    /// The pushes of each sender in the order of their numbers; without senders that have none.
    private var pushes: [PushSender: Deque<AnsweredPush>] = [:]
    private var byIdentity: [PushIdentity: AnsweredPush] = [:]
    private(set) var count = 0
    /// Pushes above the limit that were dropped, and that the ledger may still have.
    private(set) var dropped: [SubmissionNumber] = []
    /// The newest push that was dropped for its age, and that the ledger may still have; nil without one.
    private var newestExpired: SubmissionNumber?

    init() {}

    /// Creates the value from the pushes that the last host left, in the order of their numbers.
    init(_ left: [AnsweredPush], at now: WallTime) {
        for push in left { add(push, at: now) }
    }

    var isEmpty: Bool { count == 0 }
    /// Whether the ledger has no rows either that are to be deleted for their age.
    var isSettled: Bool { isEmpty && newestExpired == nil }

    /// The first push with the identity; nil for a new identity.
    func push(with identity: PushIdentity, at now: WallTime) -> AnsweredPush? {
        byIdentity[identity].flatMap { Self.isKept($0, at: now) ? $0 : nil }
    }

    /// The number below which the ledger needs no answers. Answers whose commit is in flight have higher numbers than
    /// all that were added or dropped before.
    var oldest: SubmissionNumber {
        let kept = pushes.values.compactMap(\.first?.number).min()
        return kept ?? SubmissionNumber(rawValue: (newestExpired?.rawValue ?? -1) + 1)
    }

    mutating func add(_ push: AnsweredPush, at now: WallTime) {
        pushes[push.identity.sender, default: []].append(push)
        byIdentity[push.identity] = push
        count += 1
        drop(at: now)
        while count > Self.limit, let sender = largestSender(with: [:]) { dropOldest(of: sender) }
    }

    /// Drops pushes of the senders with the most, until there is room for new ones.
    mutating func makeRoom(for new: [AnsweredPush], at now: WallTime) {
        drop(at: now)
        if count + new.count <= Self.limit { return }
        let coming = Dictionary(grouping: new, by: \.identity.sender).mapValues(\.count)
        // A sender may have its whole share among the new pushes. It loses some of these when they are added.
        while count + new.count > Self.limit, let sender = largestSender(with: coming), pushes[sender] != nil {
            dropOldest(of: sender)
        }
    }

    /// Notes that a commit which deletes the dropped pushes from the ledger has succeeded.
    mutating func noteDeletion() { (dropped, newestExpired) = ([], nil) }

    /// Drops the pushes that are too old. Their rows are deleted with lower numbers than the oldest push.
    mutating func drop(at now: WallTime) {
        for sender in pushes.keys {
            while let first = pushes[sender]?.first, !Self.isKept(first, at: now) {
                removeOldest(of: sender)
                newestExpired = max(first.number, newestExpired ?? first.number)
            }
        }
    }

    /// The sender with the most pushes of the user with the most; of equal ones the first by number and name. Nil when
    /// there are no pushes.
    private func largestSender(with coming: [PushSender: Int]) -> PushSender? {
        let counts = pushes.mapValues(\.count).merging(coming, uniquingKeysWith: +)
        let users = counts.reduce(into: [:]) { users, sender in users[sender.key.user, default: 0] += sender.value }
        guard let user = users.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return nil }
        return counts.filter { $0.key.user == user }.max { first, second in
            first.value < second.value
                || first.value == second.value && second.key.name.lexicographicallyPrecedes(first.key.name)
        }?.key
    }

    private mutating func dropOldest(of sender: PushSender) {
        if let number = removeOldest(of: sender) { dropped.append(number) }
    }

    @discardableResult
    private mutating func removeOldest(of sender: PushSender) -> SubmissionNumber? {
        guard let first = pushes[sender]?.popFirst() else { return nil }
        if pushes[sender]?.isEmpty == true { pushes[sender] = nil }
        count -= 1
        if byIdentity[first.identity]?.number == first.number { byIdentity[first.identity] = nil }
        return first.number
    }

    /// Whether the push still counts. After a step of the clock by more than ten minutes in either direction none does.
    private static func isKept(_ push: AnsweredPush, at now: WallTime) -> Bool {
        now - push.at <= retention && push.at - now <= retention
    }
}

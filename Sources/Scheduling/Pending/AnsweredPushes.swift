// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// The newest accepted pushes of one plugin whose senders gave them identifiers. A repetition within ten minutes gets
/// the answer of the first push.
///
/// The plugin has one limit. Above it the user with the most pushes loses one, and of its senders the one with the most
/// loses its oldest: a user with fewer pushes than an equal share of the limit loses none to another one. The cost of a
/// push does not grow with the number of senders.
struct AnsweredPushes: Hashable, Sendable {
    /// Maximum number of pushes.
    static let limit = 1_000
    static let retention: Duration = .seconds(600)

    /// One push in the order of all pushes.
    private struct Place: Hashable, Sendable {
        let number: SubmissionNumber
        let group: PushGroup
    }

    /// The pushes of each group in the order of their numbers; groups without pushes are absent.
    private var pushes: [PushGroup: Deque<AnsweredPush>] = [:]
    private var counts = PushCounts()
    /// The places of all pushes in the order of their numbers. The places of dropped pushes are removed later, but the
    /// first place is always that of a kept push.
    private var order: Deque<Place> = []
    private var byIdentity: [PushIdentity: AnsweredPush] = [:]
    private(set) var count = 0
    /// Pushes above the limit that were dropped, and that the ledger may still have.
    private var dropped: [SubmissionNumber] = []
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
    private var oldest: SubmissionNumber {
        order.first?.number ?? SubmissionNumber(rawValue: (newestExpired?.rawValue ?? -1) + 1)
    }

    mutating func add(_ push: AnsweredPush, at now: WallTime) {
        let group = counts.group(of: push.identity.sender)
        pushes[group, default: []].append(push)
        order.append(Place(number: push.number, group: group))
        byIdentity[push.identity] = push
        counts.add(group)
        count += 1
        drop(at: now)
        while count > Self.limit, let group = counts.largest { dropOldest(of: group) }
        if order.count > 2 * Self.limit { order = Deque(order.filter(isKept)) }
    }

    /// Drops pushes of the senders with the most, until there is room for new ones.
    mutating func makeRoom(for new: [AnsweredPush], at now: WallTime) {
        drop(at: now)
        if count + new.count <= Self.limit { return }
        var coming = counts
        for push in new { coming.add(coming.group(of: push.identity.sender)) }
        // A sender may have its whole share among the new pushes. It loses some of these when they are added.
        while count + new.count > Self.limit, let group = coming.largest, pushes[group] != nil {
            dropOldest(of: group)
            coming.remove(group)
        }
    }

    /// The answers that the next commit deletes from the ledger.
    var deletable: DeletedAnswers { DeletedAnswers(oldest: oldest, dropped: dropped) }

    /// Notes that a commit which deletes answers from the ledger has succeeded. Pushes that were dropped after the
    /// staging of the commit stay noted.
    mutating func noteDeletion(of deleted: DeletedAnswers) {
        let numbers = Set(deleted.dropped)
        dropped.removeAll { $0 < deleted.oldest || numbers.contains($0) }
        if let newest = newestExpired, newest < deleted.oldest { newestExpired = nil }
    }

    /// Drops the pushes that are too old. Their rows are deleted with lower numbers than the oldest push.
    mutating func drop(at now: WallTime) {
        while let group = order.first?.group, let first = pushes[group]?.first, !Self.isKept(first, at: now) {
            removeOldest(of: group)
            newestExpired = max(first.number, newestExpired ?? first.number)
        }
    }

    private mutating func dropOldest(of group: PushGroup) {
        if let number = removeOldest(of: group) { dropped.append(number) }
    }

    @discardableResult
    private mutating func removeOldest(of group: PushGroup) -> SubmissionNumber? {
        guard let first = pushes[group]?.popFirst() else { return nil }
        if pushes[group]?.isEmpty == true { pushes[group] = nil }
        counts.remove(group)
        count -= 1
        if byIdentity[first.identity]?.number == first.number { byIdentity[first.identity] = nil }
        while let place = order.first, !isKept(place) { order.removeFirst() }
        return first.number
    }

    /// Whether the push of a place is kept: a group loses its oldest push first.
    private func isKept(_ place: Place) -> Bool {
        pushes[place.group]?.first.map { $0.number <= place.number } ?? false
    }

    /// Whether the push still counts. After a step of the clock by more than ten minutes in either direction none does.
    private static func isKept(_ push: AnsweredPush, at now: WallTime) -> Bool {
        now - push.at <= retention && push.at - now <= retention
    }
}

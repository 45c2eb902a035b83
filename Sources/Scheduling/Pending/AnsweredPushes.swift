// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// The newest accepted pushes of one plugin whose senders gave them identifiers. A repetition within ten minutes gets
/// the answer of the first push.
struct AnsweredPushes: Hashable, Sendable {
    /// Maximum number of pushes; the oldest ones are dropped.
    static let limit = 1_000
    static let retention: Duration = .seconds(600)

    /// The pushes in the order of their numbers.
    private var pushes: Deque<AnsweredPush> = []
    private var byIdentity: [PushIdentity: AnsweredPush] = [:]

    init() {}

    /// Creates the value from the pushes that the last host left, in the order of their numbers.
    init(_ left: [AnsweredPush], at now: WallTime) {
        for push in left { add(push, at: now) }
    }

    var isEmpty: Bool { pushes.isEmpty }
    var count: Int { pushes.count }

    /// The first push with the identity; nil for a new identity.
    func push(with identity: PushIdentity, at now: WallTime) -> AnsweredPush? {
        byIdentity[identity].flatMap { Self.isKept($0, at: now) ? $0 : nil }
    }

    /// The lowest number of the pushes that stay when `count` newer ones are added; nil when none stays.
    func oldest(beforeAdding count: Int, at now: WallTime) -> SubmissionNumber? {
        let excess = max(0, pushes.count + count - Self.limit)
        return pushes.dropFirst(excess).first { Self.isKept($0, at: now) }?.number
    }

    mutating func add(_ push: AnsweredPush, at now: WallTime) {
        pushes.append(push)
        byIdentity[push.identity] = push
        drop(at: now)
    }

    /// Drops the pushes that are too old, and those above the limit.
    mutating func drop(at now: WallTime) {
        while let first = pushes.first, pushes.count > Self.limit || !Self.isKept(first, at: now) {
            pushes.removeFirst()
            if byIdentity[first.identity]?.number == first.number { byIdentity[first.identity] = nil }
        }
    }

    /// Whether the push still counts. After a step of the clock by more than ten minutes in either direction none does.
    private static func isKept(_ push: AnsweredPush, at now: WallTime) -> Bool {
        now - push.at <= retention && push.at - now <= retention
    }
}

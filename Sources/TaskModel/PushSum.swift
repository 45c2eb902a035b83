// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Counts of pushes to one plugin by one user that have no journal entry yet.
package struct PushSum: Hashable, Sendable {
    /// The user with the process of the newest of these pushes; nil when no call caused them.
    package var user: CallingUser?
    package var accepted: Int
    /// Number of pushes that a newer push of the user replaced.
    package var replaced: Int
    /// Number of pushes that lapsed when they arrived.
    package var lapsed: Int
    /// The number of the newest of these pushes.
    package var last: SubmissionNumber

    package init(user: CallingUser?, accepted: Int = 0, replaced: Int = 0, lapsed: Int = 0, last: SubmissionNumber) {
        self.user = user
        self.accepted = accepted
        self.replaced = replaced
        self.lapsed = lapsed
        self.last = last
    }

    package var isZero: Bool { accepted == 0 && replaced == 0 && lapsed == 0 }

    /// The sum with negative counts, which subtracts it.
    package var negated: PushSum {
        PushSum(user: user, accepted: -accepted, replaced: -replaced, lapsed: -lapsed, last: last)
    }

    /// Adds the counts of another sum of the same user.
    package mutating func add(_ other: PushSum) {
        user = other.user
        accepted += other.accepted
        replaced += other.replaced
        lapsed += other.lapsed
        last = max(last, other.last)
    }
}

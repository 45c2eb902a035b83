// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Where a test may step in. The host gives none.
package struct LedgerHooks: Sendable {
    /// Called once per group, with the number of commits that are about to be on disk, after the last change and before
    /// the transaction is committed.
    ///
    /// It may block, which holds the group open, or throw, which fails every commit of the group.
    package var beforeGroupCommit: (@Sendable (_ commits: Int) throws -> Void)?

    /// Stands in for a full disk: the most pages that the database may have.
    package var maximumPages: Int?

    /// The clock that bounds the time in which a group is written; read before its first commit and after each.
    package var clock: @Sendable () -> Duration

    package init(
        beforeGroupCommit: (@Sendable (_ commits: Int) throws -> Void)? = nil,
        maximumPages: Int? = nil,
        clock: @escaping @Sendable () -> Duration = LedgerHooks.steadyClock
    ) {
        self.beforeGroupCommit = beforeGroupCommit
        self.maximumPages = maximumPages
        self.clock = clock
    }

    /// Time since the start of the program, whatever is done to the calendar.
    package static let steadyClock: @Sendable () -> Duration = {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }()
}

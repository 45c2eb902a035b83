// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Hooks for tests. The host sets none.
package struct LedgerHooks: Sendable {
    /// A hook that is called once per group, after its last change and before its commit, with the number of commits in
    /// the group.
    ///
    /// The hook may block, which keeps the group open, or throw, which fails every commit of the group. Nil for none.
    package var beforeGroupCommit: (@Sendable (_ commits: Int) throws -> Void)?

    /// The maximum number of pages of the database, to simulate a full disk; nil for no limit.
    package var maximumPages: Int?

    /// The clock that limits the writing time of a group; read before the first commit and after each one.
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

    /// Time since its first use in this process, independent of changes of the wall clock.
    package static let steadyClock: @Sendable () -> Duration = {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }()
}

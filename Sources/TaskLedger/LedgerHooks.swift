// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Hooks for tests. The host sets none.
package struct LedgerHooks: Sendable {
    /// Called once per group, after the last change of the group and before its commit, with the number of commits in
    /// the group.
    ///
    /// The hook may block, which keeps the transaction open, or throw, which fails every commit of the group. Nil for
    /// no hook.
    package var beforeGroupCommit: (@Sendable (_ commits: Int) throws -> Void)?

    /// Called after the last step of an upgrade of the schema and before its commit. The hook may throw, as a commit
    /// that fails. Nil for no hook.
    package var beforeUpgradeCommit: (@Sendable () throws -> Void)?

    /// The maximum number of pages of the database, to simulate a full disk; nil for no limit.
    package var maximumPages: Int?

    /// Returns the number of free bytes on the disk of a directory; nil when it is unknown.
    package var freeBytes: @Sendable (_ directory: String) -> Int64?

    /// The clock that limits the writing time of a group. It is read at the start of the group, and before each further
    /// commit is added.
    package var clock: @Sendable () -> Duration

    package init(
        beforeGroupCommit: (@Sendable (_ commits: Int) throws -> Void)? = nil,
        beforeUpgradeCommit: (@Sendable () throws -> Void)? = nil,
        maximumPages: Int? = nil,
        freeBytes: @escaping @Sendable (_ directory: String) -> Int64? = LedgerCopy.freeBytes,
        clock: @escaping @Sendable () -> Duration = LedgerHooks.steadyClock
    ) {
        self.beforeGroupCommit = beforeGroupCommit
        self.beforeUpgradeCommit = beforeUpgradeCommit
        self.maximumPages = maximumPages
        self.freeBytes = freeBytes
        self.clock = clock
    }

    /// A monotonic clock: returns the time since the first access of this property. Changes of the wall clock do not
    /// affect it.
    package static let steadyClock: @Sendable () -> Duration = {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }()
}

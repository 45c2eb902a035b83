// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Where a test may step in. The host gives none.
package struct LedgerHooks: Sendable {
    /// Called once per transaction, with the number of commits in it, after the last change and before the commit.
    ///
    /// It may block, which holds the group open, or throw, which fails every commit of the group.
    package var beforeGroupCommit: (@Sendable (_ commits: Int) throws -> Void)?

    /// Stands in for a full disk: the most pages that the database may have.
    package var maximumPages: Int?

    package init(beforeGroupCommit: (@Sendable (_ commits: Int) throws -> Void)? = nil, maximumPages: Int? = nil) {
        self.beforeGroupCommit = beforeGroupCommit
        self.maximumPages = maximumPages
    }
}

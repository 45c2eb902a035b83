// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A group of commits that was written in one transaction, for observers that count what the ledger records.
package struct CommittedGroup: Sendable {
    /// Number of commits in the group, including those that failed.
    package let commits: Int
    /// Time of writing the group.
    package let duration: Duration
    /// The changes of each commit that is on disk.
    package let changes: [[LedgerChange]]
    /// The entries about superseded tasks, deleted cursors and lost entries that the ledger added to the journal.
    package let added: [JournalEntry]

    package init(
        commits: Int,
        duration: Duration,
        changes: [[LedgerChange]],
        added: [JournalEntry] = []
    ) {
        self.commits = commits
        self.duration = duration
        self.changes = changes
        self.added = added
    }

    init(_ group: CommitGroup, duration: Duration) {
        self.init(
            commits: group.commits.count,
            duration: duration,
            changes: group.commits.indices.filter { !group.hasFailed($0) }.map { group.commits[$0].changes },
            added: group.added
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// Writes groups of commits, each group as one transaction.
struct GroupWriter: Sendable {
    /// Maximum time for adding commits to a group before the group is committed.
    static let mostTime: Duration = .milliseconds(4)

    private let place: String
    private let hooks: LedgerHooks
    private let statements: PreparedStatements
    private var changes: ChangeWriter

    init(place: String, journalCapacity: Int64, hooks: LedgerHooks, statements: PreparedStatements) {
        self.place = place
        self.hooks = hooks
        self.statements = statements
        changes = ChangeWriter(journalCapacity: journalCapacity)
    }

    /// Writes one group: at least one commit, and further commits until `next` returns nil or `mostTime` has passed.
    ///
    /// A failing commit does not affect the other commits of its group. Failures are rare, and a savepoint per commit
    /// would slow down all commits. So after a failure the group is rolled back, and written again without the failed
    /// commit.
    mutating func write(_ next: () -> WaitingCommit?, to database: Database) -> CommitGroup {
        let access = WriteAccess(database, statements)
        let clock = hooks.clock
        let start = clock()
        let more = { clock() - start < Self.mostTime ? next() : nil }
        var group = CommitGroup()
        guard group.add(next()) else { return group }
        do {
            while try !attempt(&group, more, in: access) { rollBack(access) }
        } catch {
            rollBack(access)
            // The cause is not in the commits: the waiting ones would meet the same failure one by one.
            while group.add(next()) {}
            let operation = "writing changes (commits: \(group.commits.count))"
            group.failAll(LedgerError(error, while: operation, in: place))
        }
        return group
    }

    /// Begins a transaction, writes the commits of the group that have not failed, then the commits that `more`
    /// returns, and commits the transaction. Rolls it back when nothing is left to write.
    ///
    /// - Returns: false when a commit of the group failed. The error is then the result of this commit, the transaction
    ///   is still open, and the disk is unchanged.
    private mutating func attempt(
        _ group: inout CommitGroup,
        _ more: () -> WaitingCommit?,
        in access: WriteAccess
    ) throws -> Bool {
        try access.database.beginTransaction(.immediate)
        var (index, written) = (0, 0)
        repeat {
            if !group.hasFailed(index) {
                do throws(LedgerError) {
                    group.succeed(index, try apply(group.commits[index].changes, to: access))
                } catch {
                    group.fail(index, error)
                    return false
                }
                written += 1
            }
            index += 1
        } while index < group.commits.count || group.add(more())
        if written == 0 {
            rollBack(access)
            return true
        }
        let lastJournal = try changes.finishGroup(in: access)
        try hooks.beforeGroupCommit?(written)
        try access.database.commit()
        // A number of a failed commit would be announced, and a follower would skip the entry that gets it later.
        group.lastJournal = lastJournal
        group.added = changes.takeAdded()
        return true
    }

    private mutating func rollBack(_ access: WriteAccess) {
        // After some disk errors SQLite has already rolled back, and this call fails.
        try? access.database.rollback()
        changes.forgetUncommitted()
    }

    private mutating func apply(
        _ list: [LedgerChange],
        to access: WriteAccess
    ) throws(LedgerError) -> StartedTasks {
        var started = StartedTasks()
        changes.beginTicket(list)
        for change in list {
            do {
                try changes.apply(change, to: access, started: &started)
            } catch {
                throw LedgerError(error, while: change.operation, in: place)
            }
        }
        do {
            try changes.finishTicket(list, in: access)
        } catch {
            throw LedgerError(error, while: "ending launches and deleting records of plugins", in: place)
        }
        return started
    }
}

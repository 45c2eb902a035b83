// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// Writes groups of commits, each group as one transaction.
struct GroupWriter: Sendable {
    /// Bounds how long a group is written before it is committed.
    static let mostTime: Duration = .milliseconds(4)

    struct Outcome {
        var commits: [WaitingCommit] = []
        /// One per commit, with the payloads of the tasks that it moved from pending to running.
        var results: [Result<[SubmissionNumber: [UInt8]], LedgerError>] = []
        /// The last journal entry that is now on disk; nil when the group wrote none.
        var lastJournal: JournalNumber?

        /// False for a commit that failed.
        func isToWrite(_ index: Int) -> Bool {
            if case .success = results[index] { true } else { false }
        }

        /// - Returns: false without a commit.
        mutating func add(_ commit: WaitingCommit?) -> Bool {
            guard let commit else { return false }
            commits.append(commit)
            results.append(.success([:]))
            return true
        }
    }

    private let place: String
    private let hooks: LedgerHooks
    private let statements: PreparedStatements
    private var changes = ChangeWriter()

    init(place: String, hooks: LedgerHooks, statements: PreparedStatements) {
        self.place = place
        self.hooks = hooks
        self.statements = statements
    }

    /// Writes commits until `next` has no more, or `mostTime` is over; at least one.
    ///
    /// A commit that fails must not take the others of its group down. Failures are rare, and a savepoint for each commit
    /// would cost all of them: the group is rolled back instead, and written again without the commit that failed.
    mutating func write(_ next: () -> WaitingCommit?, to database: Database) -> Outcome {
        let access = WriteAccess(database, statements)
        let clock = hooks.clock
        let start = clock()
        let more = { clock() - start < Self.mostTime ? next() : nil }
        var outcome = Outcome()
        do {
            while try !attempt(&outcome, first: next, more: more, in: access) { rollBack(access) }
        } catch {
            rollBack(access)
            let error = LedgerError(error, while: "committing a group of \(outcome.commits.count)", in: place)
            for index in outcome.results.indices where outcome.isToWrite(index) {
                outcome.results[index] = .failure(error)
            }
        }
        return outcome
    }

    /// Writes and commits the commits of the outcome that have not failed, and new ones behind them.
    ///
    /// - Returns: false when one of them failed, which is a result of the outcome from then on.
    private mutating func attempt(
        _ outcome: inout Outcome,
        first: () -> WaitingCommit?,
        more: () -> WaitingCommit?,
        in access: WriteAccess
    ) throws -> Bool {
        try access.database.beginTransaction(.immediate)
        var (index, written) = (0, 0)
        while index < outcome.commits.count || outcome.add(index == 0 ? first() : more()) {
            defer { index += 1 }
            guard outcome.isToWrite(index) else { continue }
            let changes = outcome.commits[index].changes
            outcome.results[index] = Result { () throws(LedgerError) in try apply(changes, to: access) }
            guard outcome.isToWrite(index) else { return false }
            written += 1
        }
        if written == 0 {
            rollBack(access)
            return true
        }
        outcome.lastJournal = try changes.finishGroup(in: access)
        try hooks.beforeGroupCommit?(written)
        try access.database.commit()
        return true
    }

    private mutating func rollBack(_ access: WriteAccess) {
        // SQLite has rolled back itself after some errors of the disk; an error here means just that.
        try? access.database.rollback()
        changes.forgetUncommitted()
    }

    private mutating func apply(
        _ list: [LedgerChange],
        to access: WriteAccess
    ) throws(LedgerError) -> [SubmissionNumber: [UInt8]] {
        var payloads: [SubmissionNumber: [UInt8]] = [:]
        for change in list {
            do {
                try changes.apply(change, to: access, payloads: &payloads)
            } catch {
                throw LedgerError(error, while: change.operation, in: place)
            }
        }
        do {
            try changes.finishTicket(list, in: access)
        } catch {
            throw LedgerError(error, while: "ending launches and forgetting plugins", in: place)
        }
        return payloads
    }
}

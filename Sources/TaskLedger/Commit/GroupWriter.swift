// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// Writes a group of commits as one transaction, each in a savepoint of its own, so that a bad one fails alone.
struct GroupWriter: Sendable {
    struct Outcome {
        let results: [Result<Void, LedgerError>]
        /// The last journal entry that is now on disk, if the group wrote any.
        let lastJournal: JournalNumber?
    }

    private let place: String
    private let hooks: LedgerHooks
    private var changes = ChangeWriter()

    init(place: String, hooks: LedgerHooks) {
        self.place = place
        self.hooks = hooks
    }

    mutating func write(_ group: [WaitingCommit], to database: Database) -> Outcome {
        do {
            try database.beginTransaction(.immediate)
            let results = try group.map { try write($0.changes, alone: group.count == 1, to: database) }
            let lastJournal = try changes.finishGroup(in: database)
            try hooks.beforeGroupCommit?(group.count)
            try database.commit()
            return Outcome(results: results, lastJournal: lastJournal)
        } catch {
            // An error here means that nothing is left to roll back.
            try? database.rollback()
            changes.forgetUncommitted()
            let error = LedgerError(error, while: "committing a group of \(group.count)", in: place)
            return Outcome(results: group.map { _ in .failure(error) }, lastJournal: nil)
        }
    }

    /// Throws only what the whole group has to fail for.
    private mutating func write(
        _ list: [LedgerChange],
        alone: Bool,
        to database: Database
    ) throws -> Result<Void, LedgerError> {
        // Alone in its transaction, a commit needs no savepoint.
        if alone {
            try apply(list, to: database)
            return .success(())
        }
        let before = changes
        try database.run("SAVEPOINT ticket")
        do {
            try apply(list, to: database)
            try database.run("RELEASE ticket")
            return .success(())
        } catch let error as LedgerError {
            // SQLite ends the whole transaction itself after some errors of the disk.
            guard database.isInsideTransaction else { throw error }
            try database.run("ROLLBACK TO ticket")
            try database.run("RELEASE ticket")
            changes = before
            return .failure(error)
        }
    }

    private mutating func apply(_ list: [LedgerChange], to database: Database) throws {
        for change in list {
            do {
                try changes.apply(change, to: database)
            } catch {
                throw LedgerError(error, while: change.operation, in: place)
            }
        }
        do {
            try changes.finishTicket(list, in: database)
        } catch {
            throw LedgerError(error, while: "ending launches and forgetting plugins", in: place)
        }
    }
}

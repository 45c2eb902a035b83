// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The commits that are written in one transaction, with their results.
struct CommitGroup {
    private(set) var commits: [WaitingCommit] = []
    /// The results, one per commit: the payloads and cursors of the tasks that the commit moved from pending to
    /// running, or an error.
    private(set) var results: [Result<StartedTasks, LedgerError>] = []
    /// The number of the last journal entry that the group has written to disk; nil when it wrote none.
    var lastJournal: JournalNumber?

    /// The entries about superseded tasks and deleted cursors that the group wrote in addition to those of its commits.
    var added: [JournalEntry] = []

    /// Adds a commit. Its result is a success without started tasks until `succeed` or `fail` sets another. Returns
    /// false when `commit` is nil.
    mutating func add(_ commit: WaitingCommit?) -> Bool {
        guard let commit else { return false }
        commits.append(commit)
        results.append(.success(StartedTasks()))
        return true
    }

    func hasFailed(_ index: Int) -> Bool {
        if case .failure = results[index] { true } else { false }
    }

    mutating func succeed(_ index: Int, _ started: StartedTasks) { results[index] = .success(started) }

    mutating func fail(_ index: Int, _ error: LedgerError) { results[index] = .failure(error) }

    /// Sets the error as the result of every commit of the group that has not failed already.
    mutating func failAll(_ error: LedgerError) {
        for index in results.indices where !hasFailed(index) { fail(index, error) }
    }
}

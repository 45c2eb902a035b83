// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Synchronization
package import TaskModel

/// The one database of a host: what is pending, what runs, what happened. It records and decides nothing.
///
/// Commits are written in the order of their submission. Those that wait while one is written share the next
/// transaction, so that many cost hardly more than one; a lone one waits for nobody. Readers never wait for the writer.
/// The lock that keeps a second host out is the state folder's, not this one's.
package final class Ledger: Sendable {
    /// Reads at once; one more waits for its turn.
    package static let readers = 5

    /// The file, or `memory`, as messages name it.
    let place: String
    let database: any DatabaseWriter
    private let writer: Mutex<GroupWriter>
    private let commits = CommitQueue()
    private let followers = JournalFollowers()
    private let onCommit: @Sendable ([CommitReport]) -> Void

    /// Creates the ledger if there is none, and brings an older one up to date. One that is newer, damaged or another
    /// program's is refused and left as it was.
    ///
    /// - Parameter onCommit: gets the report of every group, in order, on the writer's own queue: it hands over and
    ///   returns, and calls nothing of the ledger but `submit`.
    package static func open(
        path: String,
        hooks: LedgerHooks = LedgerHooks(),
        onCommit: @escaping @Sendable ([CommitReport]) -> Void = { _ in }
    ) throws(LedgerError) -> Ledger {
        let file = LedgerFile(path: path)
        try file.examine()
        try file.createIfAbsent()
        return try Ledger(place: path, hooks: hooks, onCommit: onCommit) {
            try DatabasePool(path: path, configuration: $0)
        }
    }

    /// A ledger that is gone with the process. Its readers do wait for the writer.
    package static func inMemory(
        hooks: LedgerHooks = LedgerHooks(),
        onCommit: @escaping @Sendable ([CommitReport]) -> Void = { _ in }
    ) throws(LedgerError) -> Ledger {
        try Ledger(place: "memory", hooks: hooks, onCommit: onCommit) { try DatabaseQueue(configuration: $0) }
    }

    private init(
        place: String,
        hooks: LedgerHooks,
        onCommit: @escaping @Sendable ([CommitReport]) -> Void,
        connect: (Configuration) throws -> any DatabaseWriter
    ) throws(LedgerError) {
        var configuration = Configuration()
        configuration.label = "bgtask.ledger"
        configuration.maximumReaderCount = Self.readers
        // Only a person's own tool can hold the write lock, and only for a moment.
        configuration.busyMode = .timeout(5)
        do {
            database = try connect(configuration)
            try Self.prepare(database, hooks: hooks)
        } catch {
            throw LedgerError(error, while: "opening it", in: place)
        }
        self.place = place
        self.onCommit = onCommit
        writer = Mutex(GroupWriter(place: place, hooks: hooks))
    }

    // MARK: - Committing

    /// Queues one ticket's changes, all of which are written or none. Never waits; the report comes to `onCommit`.
    package func submit(ticket: UInt64, changes: [LedgerChange]) {
        add(WaitingCommit(origin: .shell(ticket: ticket), changes: changes))
    }

    /// Queues changes behind everything submitted so far, and returns when they are on disk.
    package func commitAndWait(_ changes: [LedgerChange]) async throws(LedgerError) {
        let result = await withCheckedContinuation { continuation in
            add(WaitingCommit(origin: .waiter({ continuation.resume(returning: $0) }), changes: changes))
        }
        try result.get()
    }

    private func add(_ commit: WaitingCommit) {
        switch commits.add(commit) {
        case .queued:
            break
        case .queuedFirst:
            wakeWriter()
        case .closed:
            // On the queue all the same, so that no caller is called back before its own call returns.
            database.asyncWriteWithoutTransaction { _ in
                self.report([.failure(.closed(self.place))], to: [commit])
            }
        }
    }

    private func wakeWriter() {
        database.asyncWriteWithoutTransaction { database in
            self.commitGroup(in: database)
            // One group per turn, so that pruning is not kept waiting by a steady stream.
            if self.commits.continues() { self.wakeWriter() }
        }
    }

    /// False when nothing waited.
    @discardableResult
    private func commitGroup(in database: Database) -> Bool {
        let group = commits.takeGroup()
        if group.isEmpty { return false }
        let outcome = writer.withLock { $0.write(group, to: database) }
        report(outcome.results, to: group)
        if let last = outcome.lastJournal { followers.announce(last) }
        return true
    }

    private func report(_ results: [Result<Void, LedgerError>], to group: [WaitingCommit]) {
        let outcomes = zip(group, results)
        let reports = outcomes.compactMap { commit, result in
            if case .shell(let ticket) = commit.origin { CommitReport(ticket: ticket, result: result) } else { nil }
        }
        if !reports.isEmpty { onCommit(reports) }
        for case (.waiter(let reply), let result) in outcomes.map({ ($0.origin, $1) }) { reply(result) }
    }

    // MARK: - Following and closing

    /// The last journal number after each group that wrote to the journal, until the ledger is closed.
    ///
    /// Follow first, then read: an entry written in between is told twice rather than missed.
    package func journalAppends() -> AsyncStream<JournalNumber> { followers.follow() }

    /// Writes what still waits, then closes the file. What is submitted later fails as closed.
    package func close() throws(LedgerError) {
        commits.close()
        database.writeWithoutTransaction { database in
            while commitGroup(in: database) {}
            // Readers close last and may not do it, and what stands in one file alone is copied and moved with ease. On a
            // full disk it stays where it is, which is as good.
            _ = try? database.checkpoint(.truncate)
        }
        followers.finish()
        do {
            try database.close()
        } catch {
            throw LedgerError(error, while: "closing it", in: place)
        }
    }
}

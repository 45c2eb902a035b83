// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Synchronization
package import TaskModel

/// The one database of a host: what is pending, what runs, what happened. It records and decides nothing.
///
/// Tickets that wait while others are written share the next transaction, a *group*, so that many cost hardly more than
/// one; a lone ticket is written at once. Answers are written before history, in groups of a bounded size: `CommitQueue`
/// states the order. Readers never wait for the writer. The lock that keeps a second host out is the state folder's, not
/// this one's.
package final class Ledger: Sendable {
    /// Reads at once; one more waits for its turn.
    package static let readers = 5

    /// The file, or `memory`, as messages name it.
    let place: String
    let database: any DatabaseWriter
    private let statements = PreparedStatements()
    private let writer: Mutex<GroupWriter>
    private let commits = CommitQueue()
    private let followers = JournalFollowers()
    private let onCommit: @Sendable ([CommitReport]) -> Void

    /// Creates the ledger if there is none, and brings an older one up to date. One that is newer, damaged or another
    /// program's is refused and left as it was: `LedgerFile.examine` states what is read for that.
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
        writer = Mutex(GroupWriter(place: place, hooks: hooks, statements: statements))
    }

    // MARK: - Committing

    /// Queues the changes of one ticket, all of which are written or none. Never waits; `onCommit` receives the report.
    ///
    /// The order of reports is that of writing, which differs from that of submission where history is delayed.
    package func submit(ticket: UInt64, changes: [LedgerChange]) {
        add(WaitingCommit(origin: .shell(ticket: ticket), changes: changes))
    }

    /// Queues changes as an answer, whatever they are, and returns when they are on disk.
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
                var group = CommitGroup()
                if group.add(commit) { group.failAll(.closed(self.place)) }
                self.report(group)
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
        guard commits.beginGroup() else { return false }
        let group = writer.withLock { $0.write(commits.next, to: database) }
        report(group)
        if let last = group.lastJournal { followers.announce(last) }
        return true
    }

    private func report(_ group: CommitGroup) {
        var reports: [CommitReport] = []
        var replies: [() -> Void] = []
        for (commit, result) in zip(group.commits, group.results) {
            switch (commit.origin, result) {
            case (.shell(let ticket), .success(let payloads)):
                reports.append(CommitReport(ticket: ticket, result: .success(()), payloads: payloads))
            case (.shell(let ticket), .failure(let error)):
                reports.append(CommitReport(ticket: ticket, result: .failure(error)))
            case (.waiter(let reply), _):
                replies.append { reply(result.map { _ in () }) }
            }
        }
        if !reports.isEmpty { onCommit(reports) }
        for reply in replies { reply() }
    }

    // MARK: - Following and closing

    /// The last journal number after each group that wrote to the journal, until the ledger is closed.
    ///
    /// Follow first, then read: an entry written in between is announced twice rather than missed.
    package func journalAppends() -> AsyncStream<JournalNumber> { followers.follow() }

    /// Writes what still waits, then closes the file. What is submitted later fails as closed.
    package func close() throws(LedgerError) {
        commits.close()
        database.writeWithoutTransaction { database in
            while commitGroup(in: database) {}
            // Readers close last and may not do it, and what stands in one file alone is copied and moved with ease. On a
            // full disk it stays where it is, which is as good.
            _ = try? database.checkpoint(.truncate)
            statements.release()
        }
        followers.finish()
        do {
            try database.close()
        } catch {
            throw LedgerError(error, while: "closing it", in: place)
        }
    }
}

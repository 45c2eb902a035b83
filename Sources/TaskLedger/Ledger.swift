// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Synchronization
package import TaskModel

/// The database of a host: pending work, running work and history. It records state and makes no decisions.
///
/// A ticket is a list of changes, which are written all or not at all. Tickets that arrive during a write share the
/// next transaction, a *group*: many tickets cost little more than one. A single ticket is written at once. Answers are
/// written before history, in groups of bounded size; `CommitQueue` defines both and states the order. In a ledger
/// file, readers never wait for the writer. The lock of the state directory, not the ledger, keeps out a second host.
package final class Ledger: Sendable {
    /// Maximum number of concurrent reads. Further reads wait.
    package static let readers = 5

    /// The path of the file, or `memory`, for messages.
    let place: String
    let database: any DatabaseWriter
    /// The upgrade of the schema when the ledger was opened; nil for a new ledger, and for one that had the present
    /// version.
    package let upgrade: LedgerUpgrade?
    /// Maximum size of the journal in bytes.
    let journalCapacity: Int64
    private let statements = PreparedStatements()
    private let writer: Mutex<GroupWriter>
    private let commits = CommitQueue()
    private let followers = JournalFollowers()
    private let onGroup: @Sendable (CommittedGroup) -> Void
    private let onCommit: @Sendable ([CommitReport]) -> Void

    /// Opens the ledger at `path`. Creates a missing ledger. Copies a ledger of an older version, then migrates it.
    /// Throws for a newer or damaged ledger and for the file of another program, all of which are left unchanged, except
    /// for an unfinished transaction of a file without an application ID.
    ///
    /// - Parameters:
    ///   - journalCapacity: maximum size of the journal in bytes. Beyond it, each new entry deletes the oldest ones.
    ///   - onGroup: receives each group, before the reports of its tickets, on the writer's queue. It has to return
    ///     quickly, and may call no method of the ledger.
    ///   - onCommit: receives the reports of the tickets of `submit`, group by group, on the writer's queue. It has to
    ///     return quickly, and may call no method of the ledger except `submit`.
    package static func open(
        path: String,
        journalCapacity: Int64 = .max,
        hooks: LedgerHooks = LedgerHooks(),
        onGroup: @escaping @Sendable (CommittedGroup) -> Void = { _ in },
        onCommit: @escaping @Sendable ([CommitReport]) -> Void = { _ in }
    ) throws(LedgerError) -> Ledger {
        let file = LedgerFile(path: path)
        try file.examine()
        let copy = try file.copyIfOlder(freeBytes: hooks.freeBytes)
        try file.createIfAbsent()
        return try Ledger(
            place: path,
            copy: copy,
            journalCapacity: journalCapacity,
            hooks: hooks,
            onGroup: onGroup,
            onCommit: onCommit
        ) {
            try DatabasePool(path: path, configuration: $0)
        }
    }

    /// Creates a ledger that exists only in memory. Reads of it wait for the writer, unlike reads of a ledger file.
    package static func inMemory(
        journalCapacity: Int64 = .max,
        hooks: LedgerHooks = LedgerHooks(),
        onCommit: @escaping @Sendable ([CommitReport]) -> Void = { _ in },
        onGroup: @escaping @Sendable (CommittedGroup) -> Void = { _ in }
    ) throws(LedgerError) -> Ledger {
        try Ledger(
            place: "memory",
            copy: nil,
            journalCapacity: journalCapacity,
            hooks: hooks,
            onGroup: onGroup,
            onCommit: onCommit
        ) {
            try DatabaseQueue(configuration: $0)
        }
    }

    private init(
        place: String,
        copy: LedgerCopy?,
        journalCapacity: Int64,
        hooks: LedgerHooks,
        onGroup: @escaping @Sendable (CommittedGroup) -> Void,
        onCommit: @escaping @Sendable ([CommitReport]) -> Void,
        connect: (Configuration) throws -> any DatabaseWriter
    ) throws(LedgerError) {
        var configuration = Configuration()
        configuration.label = "bgtask.ledger"
        configuration.maximumReaderCount = Self.readers
        // Only a tool started by a user can hold the write lock, and only for a moment.
        configuration.busyMode = .timeout(5)
        do {
            database = try connect(configuration)
            try Self.prepare(database, copy: copy, hooks: hooks)
            upgrade = copy.map { LedgerUpgrade(copy: $0, to: LedgerSchema.version) }
            if copy != nil { LedgerCopy.removeOutdated(of: place) }
        } catch {
            throw LedgerError(error, while: "opening it", in: place)
        }
        self.place = place
        self.journalCapacity = journalCapacity
        self.onGroup = onGroup
        self.onCommit = onCommit
        writer = Mutex(
            GroupWriter(place: place, journalCapacity: journalCapacity, hooks: hooks, statements: statements)
        )
    }

    // MARK: - Committing

    /// Queues the changes of one ticket, which are written all or not at all. Returns at once; `onCommit` receives the
    /// report of the ticket later.
    ///
    /// Reports arrive in the order of writing. This is not always the order of submission, because answers are written
    /// before history.
    package func submit(ticket: UInt64, changes: [LedgerChange]) {
        add(WaitingCommit(origin: .loop(ticket: ticket), changes: changes))
    }

    /// Queues the changes as one ticket with the priority of an answer, even if they are only history, and returns when
    /// they are on disk. Answers are written before history; `CommitQueue` defines both.
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
            // Reported on the writer's queue as well, so that a caller is never called back before its own call
            // returns.
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
            // One group per turn of the queue, so that a steady stream of tickets does not block pruning.
            if self.commits.continues() { self.wakeWriter() }
        }
    }

    /// Writes one group of commits and reports it; returns false when no commit waited.
    @discardableResult
    private func commitGroup(in database: Database) -> Bool {
        guard commits.beginGroup() else { return false }
        let start = ContinuousClock.now
        let group = writer.withLock { $0.write(commits.next, to: database) }
        onGroup(CommittedGroup(group, duration: start.duration(to: .now)))
        report(group)
        if let last = group.lastJournal { followers.announce(last) }
        return true
    }

    private func report(_ group: CommitGroup) {
        var reports: [CommitReport] = []
        var replies: [() -> Void] = []
        for (commit, result) in zip(group.commits, group.results) {
            switch (commit.origin, result) {
            case (.loop(let ticket), let result):
                reports.append(CommitReport(ticket: ticket, result: result))
            case (.waiter(let reply), _):
                replies.append { reply(result.map { _ in () }) }
            }
        }
        if !reports.isEmpty { onCommit(reports) }
        for reply in replies { reply() }
    }

    // MARK: - Following and closing

    /// A stream of journal numbers: after each group that wrote to the journal, the number of the last entry. A slow
    /// reader receives only the newest number. The stream ends when the ledger is closed.
    ///
    /// Call this before the first read of the journal. An entry that is written between both is then read and
    /// announced, instead of missed.
    package func journalAppends() -> AsyncStream<JournalNumber> { followers.follow() }

    /// Writes the waiting commits, then closes the file. Later commits fail with `closed`.
    package func close() throws(LedgerError) {
        commits.close()
        database.writeWithoutTransaction { database in
            while commitGroup(in: database) {}
            // Only the writer can empty the log, as readers close last. A ledger in a single file is easy to copy and
            // move. On a full disk the changes stay in the log, which is equally safe.
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

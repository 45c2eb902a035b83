// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import Synchronization
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The changes of one commit are written all or not at all")
struct AtomicityTests {
    @Test func `a contradictory change rolls back all changes of its commit`() async throws {
        let ledger = try Ledger.inMemory()
        let error = try await ledgerError {
            try await ledger.commitAndWait([
                .storeRequest(plainRequest(1), payload: []), .rememberPlugin(KnownPlugin(entry(cleaner))), note("gone"),
                .startLaunch(plan(1, [.request(plainRequest(9, "never"))])),
            ])
        }
        #expect(error.code == .contradiction)
        #expect(error.message.contains("starting launch 1 of com.example.feed"))
        #expect(error.message.contains("refresh 9, com.example.feed.never, is not pending"))

        let snapshot = try ledger.snapshot()
        #expect(snapshot.pendingPlugins.isEmpty && snapshot.running.isEmpty && snapshot.known.isEmpty)
        #expect(snapshot.lastSubmission == 0 && snapshot.lastLaunch == 0)
        #expect(try ledger.journal(JournalSelection(limit: 10)).isEmpty)
        #expect(try ledger.launches(limit: 10).isEmpty)

        // The plugin identifiers that the failed ticket inserted are inserted again.
        try await ledger.commitAndWait([.rememberPlugin(KnownPlugin(entry(cleaner)))])
        #expect(try ledger.snapshot().known == [KnownPlugin(entry(cleaner))])
    }

    @Test func `a contradictory commit fails, and the other commits of its group are written`() async throws {
        let gate = Gate()
        let reports = Reports()
        let ledger = try Ledger.inMemory(hooks: gate.hooks, onCommit: reports.collect)
        ledger.submit(ticket: 1, changes: [])
        await gate.reached()
        ledger.submit(ticket: 2, changes: [.storeRequest(plainRequest(1), payload: [])])
        ledger.submit(
            ticket: 3,
            changes: [
                .storeRequest(plainRequest(2, of: cleaner), payload: []), note("gone"), .endLaunch(4, end()),
            ]
        )
        ledger.submit(ticket: 4, changes: [.storeRequest(plainRequest(3, of: cleaner), payload: []), note("kept")])
        gate.open()
        await reports.reached(4)

        #expect(gate.groupSizes == [1, 2])
        #expect(reports.tickets == [1, 2, 3, 4])
        #expect(reports.failures.keys.sorted() == [3])
        #expect(reports.failures[3]?.message.contains("no launch 4 is running") == true)
        #expect(try ledger.pendingRequests() == [plainRequest(1), plainRequest(3, of: cleaner)])
        #expect(try ledger.journal(JournalSelection(limit: 10)).map(\.message) == ["kept"])
    }

    @Test func `all commits of a group whose transaction cannot be committed fail and leave no change`() async throws {
        struct DiskGone: Error {}
        let gate = Gate()
        let fails = Atomic(false)
        let reports = Reports()
        var hooks = gate.hooks
        let holdOpen = hooks.beforeGroupCommit
        hooks.beforeGroupCommit = { count in
            try holdOpen?(count)
            if count == 2, fails.load(ordering: .relaxed) { throw DiskGone() }
        }
        let ledger = try Ledger.inMemory(hooks: hooks, onCommit: reports.collect)
        ledger.submit(ticket: 1, changes: [.storeRequest(plainRequest(1), payload: [])])
        await gate.reached()
        fails.store(true, ordering: .relaxed)
        ledger.submit(ticket: 2, changes: [.storeRequest(plainRequest(2), payload: [])])
        ledger.submit(ticket: 3, changes: [.startLaunch(plan(7, [.request(plainRequest(2))])), note("gone")])
        gate.open()
        await reports.reached(3)

        #expect(gate.groupSizes == [1, 2])
        #expect(reports.tickets == [1, 2, 3])
        #expect(reports.failures.keys.sorted() == [2, 3])
        #expect(reports.failures[2]?.message.contains("DiskGone") == true)
        let snapshot = try ledger.snapshot()
        #expect(try ledger.pendingRequests() == [plainRequest(1)] && snapshot.running.isEmpty)
        #expect(snapshot.lastSubmission == 1 && snapshot.lastLaunch == 0)
        #expect(try ledger.journal(JournalSelection(limit: 10)).isEmpty)
    }

    @Test(.timeLimit(.minutes(10)))
    func `all commits of a group whose transaction cannot begin fail, and a later commit is written`() async throws {
        let directory = try LedgerDirectory()
        let reports = Reports()
        let ledger = try Ledger.open(path: directory.path, onCommit: reports.collect)
        try await ledger.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 0") }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        for ticket in UInt64(1)...3 { ledger.submit(ticket: ticket, changes: [note("\(ticket)")]) }
        await reports.reached(3)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try other.close()

        #expect(reports.failures.mapValues(\.sqliteCode) == [1: 5, 2: 5, 3: 5])
        #expect(reports.failures[1]?.message.contains("end the other program that has the file open") == true)
        try await ledger.commitAndWait([note("4")])
        #expect(try ledger.journal(JournalSelection(limit: 9)).map(\.message) == ["4"])
        try ledger.close()
    }

    @Test
    func `a launch with an open task cannot end, unless the same commit also ends the task`()
        async throws
    {
        let ledger = try Ledger.inMemory()
        let batch: [PendingWork] = [.request(plainRequest(1))]
        try await ledger.commitAndWait([.storeRequest(plainRequest(1), payload: []), .startLaunch(plan(1, batch))])
        let error = try await ledgerError { try await ledger.commitAndWait([.endLaunch(1, end())]) }
        #expect(error.code == .contradiction)
        #expect(error.message.contains("com.example.feed.refresh"))
        try await ledger.commitAndWait([.endLaunch(1, end()), .endTask(1, 1)])
        #expect(try ledger.snapshot().running.isEmpty)
    }

    @Test(arguments: [
        LedgerChange.endTask(1, 2), .endTask(2, 1), .forbidRequeue(1, 2),
        .requeueTask(1, .request(plainRequest(2)), at: time(9)),
        .endLaunch(2, end()), .startLaunch(plan(1, [])), .storeEvent(started(3), payload: []),
        .storeRequest(plainRequest(4, "clean"), payload: []), .moveLaunch(2, to: .continued),
        delivered(.request(plainRequest(1)), in: 1), delivered(.request(plainRequest(4, of: cleaner)), in: 2),
    ])
    func `a change of absent work or a duplicate of stored work is refused as a contradiction`(change: LedgerChange)
        async throws
    {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .storeEvent(started(3), payload: []),
            .startLaunch(plan(1, [.request(plainRequest(1))])),
            .storeRequest(plainRequest(4, of: cleaner), payload: []),
        ])
        let error = try await ledgerError { try await ledger.commitAndWait([change]) }
        #expect(error.code == .contradiction)
        #expect(error.message.hasPrefix("ledger memory failed at "))
    }

    @Test
    func `a full disk fails a large commit with SQLite's error and a remedy, and a later small commit succeeds`()
        async throws
    {
        let directory = try LedgerDirectory()
        let ledger = try Ledger.open(path: directory.path, hooks: LedgerHooks(maximumPages: 68))
        let error = try await ledgerError {
            try await ledger.commitAndWait([
                .storeRequest(plainRequest(1), payload: []),
                .storeRequest(plainRequest(2, "big"), payload: [UInt8](repeating: 1, count: 300_000)),
            ])
        }
        #expect(error.code == .storage && error.sqliteCode == 13)
        #expect(error.message.contains(directory.path) && error.message.contains("storing request 2"))
        #expect(error.message.contains("SQLite 13, database or disk is full; free space on its disk"))
        #expect(try ledger.pendingRequests().isEmpty)
        try await ledger.commitAndWait([.storeRequest(plainRequest(1), payload: [])])
        #expect(try ledger.pendingRequests() == [plainRequest(1)])
        try ledger.close()
    }

    @Test
    func `a full disk fails the commit that needs the space, and the other commits of its group are written`()
        async throws
    {
        let directory = try LedgerDirectory()
        let gate = Gate()
        let reports = Reports()
        var hooks = gate.hooks
        hooks.maximumPages = 68
        let ledger = try Ledger.open(path: directory.path, hooks: hooks, onCommit: reports.collect)
        ledger.submit(ticket: 1, changes: [])
        await gate.reached()
        ledger.submit(ticket: 2, changes: [.storeRequest(plainRequest(1), payload: [])])
        let big = [UInt8](repeating: 1, count: 300_000)
        ledger.submit(ticket: 3, changes: [note("gone"), .storeRequest(plainRequest(2, "big"), payload: big)])
        ledger.submit(ticket: 4, changes: [.storeRequest(plainRequest(3, "clean"), payload: [])])
        gate.open()
        await reports.reached(4)
        #expect(reports.failures.mapValues(\.sqliteCode) == [3: 13])
        #expect(try ledger.pendingRequests() == [plainRequest(1), plainRequest(3, "clean")])
        #expect(try ledger.journal(JournalSelection(limit: 9)).isEmpty)
        try ledger.close()
    }
}

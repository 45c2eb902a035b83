// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A launch is recorded with its tasks and their outcomes")
struct LaunchHistoryTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    @Test
    func `a running launch is read back with its tasks, an ended launch also with its end and outcomes`() async throws {
        let batch: [PendingWork] = [.request(fullRequest(1)), .request(plainRequest(2, "clean"))]
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: [1]), .storeRequest(plainRequest(2, "clean"), payload: []),
            .startLaunch(plan(41, batch)),
        ])
        let running = try #require(try ledger.launch(41))
        #expect(
            running.number == 41 && running.plugin == feed && running.lane == .background && running.cause == .user
        )
        #expect(running.startedAt == time(1_041) && running.budget == .seconds(30))
        #expect(running.gracePeriod == .milliseconds(4_500) && running.process == plan(41, batch).process)
        #expect(running.manifestDigest == "a1a2" && running.libraryDigest == "b1b2")
        #expect(running.end == nil)
        #expect(running.tasks.map(\.label) == ["com.example.feed.refresh", "com.example.feed.clean"])
        #expect(running.tasks.map(\.submission) == [1, 2])
        #expect(running.tasks.map(\.kind) == [.processing, .refresh])
        #expect(running.tasks.map(\.attempts) == [2, 0])
        #expect(running.tasks.map(\.outcome) == [nil, nil])
        #expect(running.tasks.map(\.submitter) == [.plugin(keyboard), .user])
        #expect(running.tasks.map(\.submittedAt) == [fullRequest(1).submittedAt, time(2)])
        #expect(running.tasks.map(\.earliestBegin) == [time(2_000_000_000), nil])

        try await ledger.commitAndWait([.endTask(41, 1), outcome(.succeeded, launch: 41, submission: 1)])
        try await ledger.commitAndWait([
            .requeueTask(41, .request(plainRequest(2, "clean")), at: time(9)),
            outcome(.crashed, launch: 41, submission: 2),
            .endLaunch(41, end(.crashed)),
        ])
        let over = try #require(try ledger.launch(41))
        #expect(over.end == end(.crashed))
        #expect(over.tasks.map(\.outcome) == [.succeeded, .crashed])
    }

    @Test func `the last launch of a plugin is the one with the highest number`() async throws {
        #expect(try ledger.lastLaunch(of: feed) == nil)
        try await ledger.commitAndWait([.startLaunch(plan(41, []))])
        try await ledger.commitAndWait([.startLaunch(plan(43, [])), .endLaunch(43, end(.crashed))])
        #expect(try ledger.lastLaunch(of: feed) == 43)
        #expect(try ledger.lastLaunch(of: keyboard) == nil)
    }

    @Test func `a launch without a fixed budget has no budget in its history`() async throws {
        try await ledger.commitAndWait([.startLaunch(plan(1, [], budget: nil)), .startLaunch(plan(2, []))])
        #expect(try ledger.launches(limit: 9).map(\.budget) == [.seconds(30), nil])
    }

    @Test func `a launch without a measured duration has no duration in its history`() async throws {
        let lost = LaunchEnd(outcome: .lost, at: time(2_000), used: nil, blame: .machine, message: "the host went down")
        try await ledger.commitAndWait([.startLaunch(plan(1, [])), .endLaunch(1, lost)])
        #expect(try ledger.launch(1)?.end == lost)
    }

    @Test func `the outcomes of tasks remain after their journal entries are pruned`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .startLaunch(plan(1, [.request(plainRequest(1))])),
            .endTask(1, 1), outcome(.expired, launch: 1, submission: 1), .endLaunch(1, end(.expired)),
        ])
        _ = try ledger.prune(journalOlderThan: time(10_000), launchesOlderThan: time(0))
        #expect(try ledger.journal(JournalSelection(limit: 1)).isEmpty)
        #expect(try ledger.launch(1)?.tasks.first?.outcome == .expired)
    }

    @Test
    func `a list of fifteen launches takes two SQL statements and contains each launch's tasks`() async throws {
        let numbers = Array(1...20 as ClosedRange<Int64>)
        for number in numbers {
            let batch = [plainRequest(2 * number, "a"), plainRequest(2 * number + 1, "b")]
            try await ledger.commitAndWait(
                batch.map { .storeRequest($0, payload: []) }
                    + [.startLaunch(plan(number, batch.map(PendingWork.request)))]
            )
        }
        let (records, statements) = try await ledger.database.read { database in
            var statements = 0
            database.trace { _ in statements += 1 }
            let records = try database.launches(limit: 15, plugin: feed)
            database.trace()
            return (records, statements)
        }
        #expect(statements == 2)
        #expect(records.map(\.number.rawValue) == Array(numbers.reversed().prefix(15)))
        for record in records {
            let first = 2 * record.number.rawValue
            #expect(record.tasks.map(\.submission.rawValue) == [first, first + 1])
        }
    }

    @Test
    func `a plugin is failing while its newest launch ended with blame on it, and not while a launch runs`()
        async throws
    {
        try await ledger.commitAndWait([
            .startLaunch(plan(1, [])), .endLaunch(1, end(.crashed)), .startLaunch(plan(2, [], of: cleaner)),
            .endLaunch(2, completed),
        ])
        #expect(try ledger.failing(among: [feed, cleaner, keyboard]) == [feed])
        try await ledger.commitAndWait([.startLaunch(plan(3, []))])
        #expect(try ledger.failing(among: [feed]).isEmpty)
    }

    @Test func `a plugin is failing after a completed launch in which it failed a task, until it completes one`()
        async throws
    {
        try await ledger.commitAndWait([
            .startLaunch(plan(1, [])), failure(of: 1, blame: .plugin), .endLaunch(1, completed),
        ])
        #expect(try ledger.failing(among: [feed]) == [feed])
        try await ledger.commitAndWait([
            .startLaunch(plan(2, [])), failure(of: 2, blame: .user), .endLaunch(2, completed),
        ])
        #expect(try ledger.failing(among: [feed]).isEmpty)
    }

    private let completed = LaunchEnd(outcome: .completed, at: time(2_000), used: nil, blame: .nobody, message: "")

    private func failure(of launch: Int64, blame: Blame) -> LedgerChange {
        .journal(
            JournalEntry(
                at: time(2_000),
                event: .task(.failed),
                plugin: feed,
                launch: LaunchNumber(rawValue: launch),
                label: "com.example.feed.refresh",
                submission: SubmissionNumber(rawValue: launch),
                blame: blame,
                message: ""
            )
        )
    }

    @Test func `launches are listed from the newest, of all plugins or of one`() async throws {
        try await ledger.commitAndWait([
            .startLaunch(plan(1, [])), .startLaunch(plan(2, [], of: cleaner)), .startLaunch(plan(3, [])),
        ])
        #expect(try ledger.launches(limit: 2).map(\.number) == [3, 2])
        #expect(try ledger.launches(limit: 9, plugin: feed).map(\.number) == [3, 1])
        #expect(try ledger.launches(limit: 9, plugin: keyboard).isEmpty)
        #expect(try ledger.launches(limit: 9, before: 3).map(\.number) == [2, 1])
        #expect(try ledger.launches(limit: 9, before: 3, plugin: feed).map(\.number) == [1])
        #expect(try ledger.launches(limit: 9, before: 1).isEmpty)
        #expect(try ledger.launch(4) == nil)
    }
}

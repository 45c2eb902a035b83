// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("What work waited for is remembered with how long")
struct WaitTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    private func waits(
        _ label: String = "com.example.feed.refresh",
        of plugin: PluginIdentifier? = nil,
        submission: SubmissionNumber? = nil,
        limit: Int = 100
    ) throws -> [WaitRecord] {
        try ledger.waits(WaitSelection(label: label, plugin: plugin, submission: submission, limit: limit))
    }

    private func wait(_ number: Int64, for reasons: [String], at seconds: Int64) -> LedgerChange {
        .recordWait(.request(plainRequest(number)), reasons: reasons, at: time(seconds))
    }

    private func record(_ number: SubmissionNumber, _ reason: String, _ since: Int64, _ until: Int64?) -> WaitRecord {
        WaitRecord(submission: number, reason: reason, since: time(since), until: until.map(time))
    }

    @Test func `a reason that is new opens, one that is gone closes, one that stays keeps its beginning`() async throws
    {
        try await ledger.commitAndWait([wait(1, for: ["earliest-begin", "network"], at: 10)])
        try await ledger.commitAndWait([wait(1, for: ["network", "not-idle"], at: 20)])
        #expect(try ledger.snapshot().waits == [1: ["network", "not-idle"]])
        #expect(
            try waits() == [
                record(1, "earliest-begin", 10, 20), record(1, "network", 10, nil), record(1, "not-idle", 20, nil),
            ]
        )
        try await ledger.commitAndWait([wait(1, for: [], at: 30)])
        #expect(try ledger.snapshot().waits.isEmpty)
        #expect(try waits().map(\.until) == [time(20), time(30), time(30)])
    }

    @Test func `what is recorded again changes nothing, and what comes back begins anew`() async throws {
        try await ledger.commitAndWait([wait(1, for: ["network", "network"], at: 10)])
        try await ledger.commitAndWait([wait(1, for: ["network"], at: 20)])
        #expect(try waits() == [record(1, "network", 10, nil)])
        try await ledger.commitAndWait([wait(1, for: [], at: 30), wait(1, for: ["network"], at: 40)])
        #expect(try waits() == [record(1, "network", 10, 30), record(1, "network", 40, nil)])
    }

    @Test func `nothing ends before it began, however the clock is set`() async throws {
        try await ledger.commitAndWait([wait(1, for: ["network"], at: 50), wait(1, for: [], at: 10)])
        #expect(try waits() == [record(1, "network", 50, 50)])
    }

    @Test func `a task is asked for by its identifier: its newest submission, or the one that is named`() async throws {
        try await ledger.commitAndWait([
            wait(3, for: ["network"], at: 10), wait(3, for: [], at: 11), wait(5, for: ["heat"], at: 12),
            .recordWait(.request(plainRequest(6, "clean")), reasons: ["lane-busy"], at: time(13)),
        ])
        #expect(try waits() == [record(5, "heat", 12, nil)])
        #expect(try waits(submission: 3) == [record(3, "network", 10, 11)])
        #expect(try waits(submission: 6).isEmpty)
        #expect(try waits("com.example.feed.never").isEmpty)
    }

    @Test func `events of one name are told apart by their plugin`() async throws {
        try await ledger.commitAndWait([
            .recordWait(.event(started(1)), reasons: ["launch-limit"], at: time(1)),
            .recordWait(.event(started(2, of: cleaner)), reasons: ["heat"], at: time(2)),
        ])
        #expect(try waits("started", of: feed) == [record(1, "launch-limit", 1, nil)])
        #expect(try waits("started", of: cleaner) == [record(2, "heat", 2, nil)])
        #expect(try waits("started", of: keyboard).isEmpty)
    }

    @Test func `a limit leaves out the oldest, and the newest comes last`() async throws {
        for second in 1...9 as ClosedRange<Int64> {
            try await ledger.commitAndWait([wait(1, for: second % 2 == 1 ? ["heat"] : ["network"], at: second)])
        }
        #expect(try waits(limit: 2) == [record(1, "network", 8, 9), record(1, "heat", 9, nil)])
        #expect(try waits(limit: 0).isEmpty)
    }

    @Test func `a launch and a return leave the waits to what is recorded of them`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), wait(1, for: ["network"], at: 1),
            .startLaunch(plan(1, [.request(plainRequest(1))])), wait(1, for: [], at: 2),
        ])
        try await ledger.commitAndWait([
            .returnTask(1, .request(plainRequest(1))), .endLaunch(1, end(.crashed)),
            wait(1, for: ["retry-delay"], at: 3),
        ])
        #expect(try ledger.snapshot().waits == [1: ["retry-delay"]])
        #expect(try waits() == [record(1, "network", 1, 2), record(1, "retry-delay", 3, nil)])
    }

    @Test func `a forgotten plugin waits for nothing, and what it waited for is not forgotten with it`() async throws {
        try await ledger.commitAndWait([
            wait(1, for: ["network", "heat"], at: 1), wait(1, for: ["heat"], at: 2),
            .recordWait(.request(plainRequest(2, of: cleaner)), reasons: ["heat"], at: time(2)),
        ])
        // In whatever order the ticket says so.
        try await ledger.commitAndWait([
            wait(3, for: ["heat"], at: 4), .forgetPlugin(feed), wait(3, for: [], at: 5),
        ])
        #expect(try ledger.snapshot().waits == [2: ["heat"]])
        #expect(try waits(submission: 1) == [record(1, "network", 1, 2)])
        #expect(try waits() == [record(3, "heat", 4, 5)])
    }

    @Test func `a bad ticket beside it leaves no wait behind, and takes none away`() async throws {
        let gate = Gate()
        let reports = Reports()
        let ledger = try Ledger.inMemory(hooks: gate.hooks, onCommit: reports.collect)
        ledger.submit(ticket: 1, changes: [wait(1, for: ["network"], at: 1)])
        await gate.reached()
        ledger.submit(ticket: 2, changes: [wait(1, for: ["heat"], at: 2), .endLaunch(4, end())])
        ledger.submit(ticket: 3, changes: [wait(1, for: ["network", "spacing"], at: 3)])
        gate.open()
        await reports.reached(3)
        #expect(gate.groupSizes == [1, 2] && reports.failures.keys.sorted() == [2])
        let records = try ledger.waits(WaitSelection(label: "com.example.feed.refresh", limit: 9))
        #expect(records == [record(1, "network", 1, nil), record(1, "spacing", 3, nil)])
    }

    @Test func `no reading or writing of waits scans or sorts them`() throws {
        let byTask = WaitSelection(label: "com.example.feed.refresh", limit: 9)
        let byPlugin = WaitSelection(label: "started", plugin: feed, limit: 9)
        let statements: [(sql: String, arguments: StatementArguments)] = [
            byTask.newestSubmission, byTask.rows(of: 1), byPlugin.newestSubmission, byPlugin.rows(of: 1),
            (Wait.open, [1]), (Wait.close, [1, 1, "heat"]),
        ]
        for (sql, arguments) in statements {
            let plan = try ledger.queryPlan(sql, arguments)
            #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
        }
        // Those still open are few however long the history is, and have an index to themselves.
        for (sql, arguments) in [(Wait.allOpen, []), (Wait.forget, ["com.example.feed"])] {
            let plan = try ledger.queryPlan(sql, StatementArguments(arguments))
            #expect(plan.first == "SCAN wait USING INDEX wait_open", "\(plan)")
        }
    }
}

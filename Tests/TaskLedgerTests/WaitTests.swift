// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Waits of pending work are recorded with their reasons and their times")
struct WaitTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    /// Work of one class of the plugin; `export` is work of another class.
    private let refresh = PendingWork.request(plainRequest(1))
    private let export = PendingWork.request(continuedRequest(2))

    private func waits(
        _ work: PendingWork? = nil,
        from: Int64 = 0,
        to: Int64? = nil,
        limit: Int = 100
    ) throws -> [WaitRecord] {
        let key = WaitKey(of: work ?? refresh)
        return try ledger.waits(WaitSelection(key: key, from: time(from), to: to.map(time), limit: limit))
    }

    private func record(_ reason: String, _ since: Int64, _ until: Int64?) -> WaitRecord {
        WaitRecord(reason: reason, since: time(since), until: until.map(time))
    }

    private func open(_ plugin: PluginIdentifier = feed) throws -> [WorkClass: Set<String>] {
        try ledger.work(of: plugin).waits
    }

    @Test
    func `a new reason opens a wait, a missing reason closes its wait, and a continuing reason keeps its wait's begin`()
        async throws
    {
        try await ledger.commitAndWait([wait(refresh, for: ["earliest-begin", "network"], at: 10)])
        try await ledger.commitAndWait([wait(refresh, for: ["network", "not-idle"], at: 20)])
        #expect(try open() == [WorkClass(of: refresh): ["network", "not-idle"]])
        #expect(
            try waits() == [record("earliest-begin", 10, 20), record("network", 10, nil), record("not-idle", 20, nil)]
        )
        try await ledger.commitAndWait([wait(refresh, for: [], at: 30)])
        #expect(try open().isEmpty)
        #expect(try waits().map(\.until) == [time(20), time(30), time(30)])
    }

    @Test func `recording a reason again changes nothing, and a reason that returns opens another wait`() async throws {
        try await ledger.commitAndWait([wait(refresh, for: ["network", "network"], at: 10)])
        try await ledger.commitAndWait([wait(refresh, for: ["network"], at: 20)])
        #expect(try waits() == [record("network", 10, nil)])
        try await ledger.commitAndWait([wait(refresh, for: [], at: 30), wait(refresh, for: ["network"], at: 40)])
        #expect(try waits() == [record("network", 10, 30), record("network", 40, nil)])
    }

    @Test func `a wait that ends after a step back of the clock ends at its begin`() async throws {
        try await ledger.commitAndWait([wait(refresh, for: ["network"], at: 50), wait(refresh, for: [], at: 10)])
        #expect(try waits() == [record("network", 50, 50)])
    }

    @Test
    func `requests of one class share their waits, and other classes and plugins have separate ones`() async throws {
        let foreign = PendingWork.request(plainRequest(3, of: cleaner))
        let sibling = PendingWork.request(plainRequest(9, "clean"))
        try await ledger.commitAndWait([
            wait(refresh, for: ["network"], at: 10), wait(export, for: ["lane-busy"], at: 11),
            wait(foreign, for: ["heat"], at: 12), wait(.event(started(4)), for: ["launch-limit"], at: 13),
        ])
        #expect(try waits(sibling) == [record("network", 10, nil)])
        #expect(try waits(export) == [record("lane-busy", 11, nil)])
        #expect(try waits(foreign) == [record("heat", 12, nil)])
        #expect(try waits(.event(started(5, of: cleaner))).isEmpty)
        #expect(
            try open() == [
                WorkClass(of: refresh): ["network"], WorkClass(of: export): ["lane-busy"], .event: ["launch-limit"],
            ]
        )
        try await ledger.commitAndWait([wait(sibling, for: [], at: 14)])
        #expect(try waits().map(\.until) == [time(14)])
    }

    @Test func `a selection of waits contains every wait that overlaps its span, both ends included`() async throws {
        try await ledger.commitAndWait([
            wait(refresh, for: ["a"], at: 10), wait(refresh, for: ["b"], at: 20), wait(refresh, for: ["c"], at: 30),
            wait(refresh, for: ["d"], at: 40),
        ])
        #expect(try waits(from: 20, to: 30).map(\.reason) == ["a", "b", "c"])
        #expect(try waits(from: 21, to: 29).map(\.reason) == ["b"])
        #expect(try waits(from: 31).map(\.reason) == ["c", "d"])
        #expect(try waits(from: 31, to: 39).map(\.reason) == ["c"])
        #expect(try waits(from: 0, to: 9).isEmpty)
        #expect(try waits(from: 50, to: 60).map(\.reason) == ["d"])
    }

    @Test
    func `a limited selection of waits omits the waits that ended first and lists the newest last`() async throws {
        for second in 1...9 as ClosedRange<Int64> {
            try await ledger.commitAndWait([wait(refresh, for: second % 2 == 1 ? ["heat"] : ["network"], at: second)])
        }
        #expect(try waits(limit: 2) == [record("network", 8, 9), record("heat", 9, nil)])
        #expect(try waits(limit: 1) == [record("heat", 9, nil)])
        #expect(try waits(limit: 0).isEmpty)
    }

    @Test func `launching and requeueing a task does not change the recorded waits of its class`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), wait(refresh, for: ["network"], at: 1),
            .startLaunch(plan(1, [refresh])), wait(refresh, for: [], at: 2),
        ])
        try await ledger.commitAndWait([
            .requeueTask(1, refresh, at: time(9)), .endLaunch(1, end(.crashed)),
            wait(refresh, for: ["retry-delay"], at: 3),
        ])
        #expect(try open() == [WorkClass(of: refresh): ["retry-delay"]])
        #expect(try waits() == [record("network", 1, 2), record("retry-delay", 3, nil)])
    }

    @Test
    func `forgetting a plugin deletes its open waits and its deferrals, and keeps its closed waits`() async throws {
        let foreign = PendingWork.request(plainRequest(2, of: cleaner))
        try await ledger.commitAndWait([
            wait(refresh, for: ["network", "heat"], at: 1), wait(refresh, for: ["heat"], at: 2),
            .setDeferrals(WaitKey(of: refresh), [deferral(1)]), wait(foreign, for: ["heat"], at: 2),
            .setDeferrals(WaitKey(of: foreign), [deferral(3)]),
        ])
        // The order of the changes in the ticket is irrelevant.
        try await ledger.commitAndWait([
            wait(export, for: ["heat"], at: 4), .forgetPlugin(feed), wait(export, for: [], at: 5),
            .setDeferrals(WaitKey(of: export), [deferral(6)]),
        ])
        #expect(try ledger.work(of: feed) == PluginWork(plugin: feed))
        #expect(try open(cleaner) == [WorkClass(of: foreign): ["heat"]])
        #expect(try ledger.work(of: cleaner).deferrals == [WorkClass(of: foreign): [deferral(3)]])
        #expect(try waits() == [record("network", 1, 2)])
        #expect(try waits(export) == [record("heat", 4, 5)])
    }

    @Test
    func `a failed commit leaves the waits unchanged, and another commit of its group records its waits`() async throws
    {
        let gate = Gate()
        let reports = Reports()
        let ledger = try Ledger.inMemory(hooks: gate.hooks, onCommit: reports.collect)
        ledger.submit(ticket: 1, changes: [wait(refresh, for: ["network"], at: 1)])
        await gate.reached()
        ledger.submit(ticket: 2, changes: [wait(refresh, for: ["heat"], at: 2), .endLaunch(4, end())])
        ledger.submit(ticket: 3, changes: [wait(refresh, for: ["network", "spacing"], at: 3)])
        gate.open()
        await reports.reached(3)
        #expect(gate.groupSizes == [1, 1] && reports.failures.keys.sorted() == [2])
        let selection = WaitSelection(key: WaitKey(of: refresh), from: time(0), limit: 9)
        #expect(try ledger.waits(selection) == [record("network", 1, nil), record("spacing", 3, nil)])
    }

    @Test func `the statements on waits neither sort the table of waits nor scan its closed waits`() throws {
        let selection = WaitSelection(key: WaitKey(of: refresh), from: time(0), limit: 9)
        let statements: [(sql: String, arguments: StatementArguments)] = [
            selection.openRows, selection.closedRows, (Wait.open.sql, [1, 1]), (Wait.close.sql, [1, 1, 1, "heat"]),
            (Wait.openOfPlugin, [1]), (Wait.forget.sql, [1]), (Wait.closeVain, [1, 1]),
        ]
        for (sql, arguments) in statements {
            let plan = try ledger.queryPlan(sql, arguments)
            #expect(!plan.contains { $0.contains("SCAN wait") || $0.contains("TEMP B-TREE") }, "\(sql): \(plan)")
            #expect(
                plan.contains { $0.contains("USING INDEX wait_") || $0.contains("COVERING INDEX wait_") },
                "\(plan)"
            )
        }
        // The open rows are few for any length of the history and have a separate index.
        let plan = try ledger.queryPlan(Wait.openClasses, [])
        #expect(plan == ["SCAN wait USING INDEX wait_open"], "\(plan)")
    }
}

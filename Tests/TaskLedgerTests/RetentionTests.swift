// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Pruning deletes old rows of ended work and no others")
struct RetentionTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    @Test func `old journal entries are pruned in bounded steps, and newer ones stay`() async throws {
        try await ledger.commitAndWait((1...5).map { note("\($0)", at: Int64($0)) })
        func prune() throws -> Int {
            try ledger.prune(journalOlderThan: time(4), launchesOlderThan: time(0), atMost: 2).journal
        }
        #expect(try prune() == 2)
        #expect(try prune() == 1)
        #expect(try prune() == 0)
        #expect(try ledger.journal(JournalSelection(limit: 9)).map(\.message) == ["4", "5"])
    }

    @Test func `an old entry with a claim stays until every lease has acknowledged it`() async throws {
        let claim = Claim(item: 71, fence: 3, isBound: true)
        try await ledger.commitAndWait((1...3).map { note("\($0)", at: 1, claim: $0 == 2 ? nil : claim) })
        func prune(acknowledged: Int64..., removing removed: String? = nil) async throws -> [String] {
            let leases = zip(["web-1", "web-2"], acknowledged).map { name, number in
                LedgerChange.storeLease(
                    LeaseRecord(name: name, owner: 1_000, acknowledged: number, length: .seconds(30))
                )
            }
            try await ledger.commitAndWait(leases + (removed.map { [.removeLease($0)] } ?? []))
            _ = try ledger.prune(journalOlderThan: time(2), launchesOlderThan: time(0), atMost: 9)
            return try ledger.journal(JournalSelection(limit: 9)).map(\.message)
        }
        #expect(try await prune(acknowledged: 3, 0) == ["1", "3"])
        #expect(try await prune(acknowledged: 3, 1) == ["3"])
        #expect(try await prune(acknowledged: 3, removing: "web-2") == [])
    }

    @Test
    func `an old ended launch is pruned, and a running launch stays regardless of its age`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .storeRequest(plainRequest(2, of: cleaner), payload: []),
            .startLaunch(plan(1, [.request(plainRequest(1))])),
            .startLaunch(plan(2, [.request(plainRequest(2, of: cleaner))], of: cleaner)),
            .startLaunch(plan(3, [])), .endTask(1, 1), .endLaunch(1, end(at: 2_000)), .endLaunch(3, end(at: 5_000)),
        ])
        #expect(try ledger.prune(journalOlderThan: time(0), launchesOlderThan: time(4_000)).launches == 1)
        #expect(try ledger.launches(limit: 9).map(\.number) == [3, 2])
        #expect(try ledger.snapshot().running.first?.unfinished == [.request(plainRequest(2, of: cleaner))])
        #expect(try ledger.prune(journalOlderThan: time(0), launchesOlderThan: time(9_000)).launches == 1)
        #expect(try ledger.launches(limit: 9).map(\.number) == [2])
    }

    @Test func `ended waits are pruned by the age limit of the journal, and open waits stay at any age`() async throws {
        let work = PendingWork.request(plainRequest(1))
        try await ledger.commitAndWait([
            wait(work, for: ["network", "heat", "spacing"], at: 1), wait(work, for: ["network"], at: 2),
            wait(work, for: ["network", "heat"], at: 3), wait(work, for: ["network"], at: 5),
        ])
        func prune() throws -> PrunedRows {
            try ledger.prune(journalOlderThan: time(5), launchesOlderThan: time(0), atMost: 1)
        }
        #expect(try prune() == PrunedRows(journal: 0, launches: 0, waits: 1, deferrals: 0))
        #expect(try prune().most == 1)
        #expect(try prune().most == 0)
        let left = try ledger.waits(WaitSelection(key: WaitKey(of: work), from: time(0), limit: 9))
        #expect(left.map(\.reason) == ["network", "heat"] && left.map(\.until) == [nil, time(5)])
        #expect(try ledger.work(of: feed).waits == [WorkClass(of: work): ["network"]])
    }

    @Test
    func `the deferral periods of a class stay at any age while the class has pending work`() async throws {
        let (left, gone) = (PendingWork.request(plainRequest(1)), PendingWork.request(fullRequest(2, "clean")))
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .storeRequest(fullRequest(2, "clean"), payload: []),
            .setDeferrals(WaitKey(of: left), [deferral(1, 2), deferral(3)]),
            .setDeferrals(WaitKey(of: gone), [deferral(1, 2), deferral(4, 5)]),
            .setDeferrals(WaitKey(of: .event(started(3))), [deferral(6)]),
        ])
        func prune() throws -> PrunedRows { try ledger.prune(journalOlderThan: time(9), launchesOlderThan: time(9)) }
        #expect(try prune().deferrals == 1)
        try await ledger.commitAndWait([.startLaunch(plan(1, [gone]))])
        #expect(try prune().deferrals == 2)
        #expect(try ledger.work(of: feed).deferrals == [WorkClass(of: left): [deferral(1, 2), deferral(3)]])
    }

    @Test(arguments: [
        (Prune.journal, "journal_by_time (at<?)"), (Prune.launches, "launch_by_end (ended_at<?)"),
        (Prune.waits, "wait_by_end (until<?)"), (Prune.transfers, "transfer_by_end (ended_at<?)"),
    ])
    func `rows to prune are found by an index on time, without scan or sort`(sql: String, index: String) throws {
        let plan = try ledger.queryPlan(sql, sql == Prune.journal ? [1, 1, 1] : [1, 1])
        #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
        #expect(plan.contains { $0.contains(index) }, "\(plan)")
    }
}

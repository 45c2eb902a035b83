// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

@Suite("Pruning takes what is old and over, and nothing else")
struct RetentionTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    @Test func `old entries go in measures, young ones stay`() async throws {
        try await ledger.commitAndWait((1...5).map { note("\($0)", at: Int64($0)) })
        func prune() throws -> Int {
            try ledger.prune(journalOlderThan: time(4), launchesOlderThan: time(0), atMost: 2).journal
        }
        #expect(try prune() == 2)
        #expect(try prune() == 1)
        #expect(try prune() == 0)
        #expect(try ledger.journal(JournalSelection(limit: 9)).map(\.message) == ["4", "5"])
    }

    @Test func `an ended launch goes with its tasks, a running one stays however old`() async throws {
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
}

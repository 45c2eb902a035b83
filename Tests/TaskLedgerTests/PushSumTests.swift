// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import TaskLedger

@Suite("Pushes without a journal entry are counted by plugin and user until they get one")
struct PushSumTests {
    private let user = CallingUser(uid: 1_000, pid: 7, command: "bgtask")

    private func sum(_ accepted: Int, _ replaced: Int, by user: CallingUser?, last: Int64) -> PushSum {
        PushSum(user: user, accepted: accepted, replaced: replaced, lapsed: 1, last: SubmissionNumber(rawValue: last))
    }

    @Test func `counts of one user are added, also in a reopened ledger`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        try await ledger.commitAndWait([
            .countPushes(feed, sum(3, 2, by: user, last: 8)), .countPushes(feed, sum(1, 0, by: nil, last: 9)),
            .countPushes(cleaner, sum(1, 0, by: user, last: 10)),
        ])
        try await ledger.commitAndWait([.countPushes(feed, sum(2, 2, by: user, last: 12))])
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        let sums = try ledger.snapshot().pushSums
        var total = sum(5, 4, by: user, last: 12)
        total.lapsed = 2
        #expect(sums[feed] == [sum(1, 0, by: nil, last: 9), total])
        #expect(sums[cleaner] == [sum(1, 0, by: user, last: 10)])
        #expect(try ledger.snapshot().lastSubmission == SubmissionNumber(rawValue: 12))
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `counts that are subtracted to zero leave the ledger`() async throws {
        let ledger = try Ledger.inMemory()
        let counted = sum(3, 2, by: user, last: 8)
        try await ledger.commitAndWait([.countPushes(feed, counted)])
        try await ledger.commitAndWait([.countPushes(feed, counted.negated)])
        #expect(try ledger.snapshot().pushSums.isEmpty)
    }
}

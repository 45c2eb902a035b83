// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The answers to pushes with an identifier are kept, a bounded number for each plugin")
struct PushAnswerTests {
    private func answer(_ number: Int64, _ result: PushResult, expiresAt: WallTime? = nil) throws -> AnsweredPush {
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: PushIdentity.size)
        return AnsweredPush(
            identity: try #require(PushIdentity(bytes: bytes)),
            number: SubmissionNumber(rawValue: number),
            result: result,
            expiresAt: expiresAt,
            at: time(number)
        )
    }

    private func keep(
        _ answers: [AnsweredPush],
        of plugin: PluginIdentifier,
        oldest: Int64,
        dropped: [Int64] = []
    ) -> [LedgerChange] {
        let dropped = dropped.map { SubmissionNumber(rawValue: $0) }
        return answers.map {
            .keepPushAnswer(plugin, $0, oldest: SubmissionNumber(rawValue: oldest), dropped: dropped)
        }
    }

    @Test func `answers of each kind are kept in the order of their pushes, also in a reopened ledger`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        let answers = [
            try answer(7, .stored(replacing: nil)), try answer(8, .stored(replacing: 7), expiresAt: time(90)),
            try answer(9, .replaced(by: 10)), try answer(10, .lapsed, expiresAt: time(1)),
        ]
        try await ledger.commitAndWait(keep(answers, of: feed, oldest: 7))
        let other = try answer(11, .lapsed)
        try await ledger.commitAndWait(keep([other], of: cleaner, oldest: 11))
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        let snapshot = try ledger.snapshot()
        #expect(snapshot.pushAnswers == [feed: answers, cleaner: [other]])
        #expect(snapshot.lastSubmission == 11)
        #expect(try ledger.snapshot(at: time(609)).pushAnswers[feed]?.map(\.number) == [9, 10])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `a new answer deletes the older ones of its plugin alone`() async throws {
        let ledger = try Ledger.inMemory()
        let first = try [1, 2, 3].map { try answer($0, .lapsed) }
        try await ledger.commitAndWait(keep(first, of: feed, oldest: 1) + keep([first[0]], of: cleaner, oldest: 1))
        try await ledger.commitAndWait(keep([try answer(4, .lapsed)], of: feed, oldest: 3))
        let kept = try ledger.snapshot().pushAnswers
        #expect(kept[feed]?.map(\.number) == [3, 4] && kept[cleaner]?.map(\.number) == [1])
    }

    @Test func `a new answer deletes the dropped ones of its plugin alone`() async throws {
        let ledger = try Ledger.inMemory()
        let first = try [1, 2, 3].map { try answer($0, .lapsed) }
        try await ledger.commitAndWait(keep(first, of: feed, oldest: 1) + keep(first, of: cleaner, oldest: 1))
        try await ledger.commitAndWait(keep([try answer(4, .lapsed)], of: feed, oldest: 1, dropped: [2]))
        let kept = try ledger.snapshot().pushAnswers
        #expect(kept[feed]?.map(\.number) == [1, 3, 4] && kept[cleaner]?.map(\.number) == [1, 2, 3])
    }

    @Test func `the record of a plugin is deleted with its answers`() async throws {
        let ledger = try Ledger.inMemory()
        try await ledger.commitAndWait(keep([try answer(1, .lapsed)], of: feed, oldest: 1))
        try await ledger.commitAndWait([.forgetPlugin(feed)])
        #expect(try ledger.snapshot().pushAnswers.isEmpty)
    }

    @Test func `the deletion of older answers searches the primary key`() throws {
        let ledger = try Ledger.inMemory()
        let plan = try ledger.queryPlan("DELETE FROM push_answer WHERE plugin = ? AND submission < ?", [1, 2])
        #expect(plan.contains { $0.hasPrefix("SEARCH push_answer USING PRIMARY KEY (plugin=? AND submission<?)") })
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("A snapshot contains the ended launches of a week")
struct PastLaunchTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    private static let day: Int64 = 24 * 60 * 60

    @Test func `a past launch is read back with its fields, without a duration if none was measured`() async throws {
        let lost = LaunchEnd(outcome: .lost, at: time(9), used: nil, blame: .machine, message: "the host went down")
        try await ledger.commitAndWait([
            .startLaunch(plan(1, [])), .startLaunch(plan(2, [], of: cleaner)), .startLaunch(plan(3, [])),
            .moveLaunch(1, to: .continued), .endLaunch(1, end(.expired, at: 10)), .endLaunch(2, lost),
        ])
        #expect(
            try ledger.snapshot(at: time(20)).past == [
                PastLaunch(
                    plugin: cleaner,
                    lane: .background,
                    cause: .user,
                    outcome: .lost,
                    endedAt: time(9),
                    used: nil
                ),
                PastLaunch(
                    plugin: feed,
                    lane: .continued,
                    cause: .user,
                    outcome: .expired,
                    endedAt: time(10),
                    used: .milliseconds(1_250)
                ),
            ]
        )
    }

    @Test func `a past launch used its budget if it ran as long as the budget or longer`() async throws {
        // The launches of these tests run 1.25 s.
        let budgets: [Duration?] = [.milliseconds(1_249), .milliseconds(1_250), .milliseconds(1_251), nil]
        let lost = LaunchEnd(outcome: .lost, at: time(9), used: nil, blame: .machine, message: "the host went down")
        for (index, budget) in budgets.enumerated() {
            let number = LaunchNumber(rawValue: Int64(index + 1))
            let start = plan(number.rawValue, [], budget: budget)
            try await ledger.commitAndWait([.startLaunch(start), .endLaunch(number, end(at: number.rawValue))])
        }
        try await ledger.commitAndWait([.startLaunch(plan(5, [])), .endLaunch(5, lost)])
        #expect(try ledger.snapshot(at: time(20)).past.map(\.usedBudget) == [true, true, false, false, false])
    }

    @Test func `a past launch has the kinds of the requests that its plugin submitted itself`() async throws {
        func request(_ number: Int64, _ kind: TaskKind, by submitter: Submitter) -> PendingRequest {
            PendingRequest(
                plugin: feed,
                number: SubmissionNumber(rawValue: number),
                request: TaskRequest(identifier: task("com.example.feed.task\(number)"), kind: kind),
                submitter: submitter,
                submittedAt: time(1)
            )
        }
        let batches = [
            [request(1, .refresh, by: .plugin(feed)), request(2, .processing, by: .plugin(feed))],
            [request(3, .refresh, by: .user), request(4, .processing, by: .schedule)],
            [request(5, .refresh, by: .plugin(keyboard))],
        ]
        for (index, batch) in batches.enumerated() {
            let launch = LaunchNumber(rawValue: Int64(index + 1))
            var changes = batch.map { LedgerChange.storeRequest($0, payload: []) }
            changes.append(.startLaunch(plan(launch.rawValue, batch.map { .request($0) })))
            changes += batch.map { LedgerChange.endTask(launch, $0.number) }
            changes.append(.endLaunch(launch, end(at: launch.rawValue)))
            try await ledger.commitAndWait(changes)
        }
        #expect(try ledger.snapshot(at: time(20)).past.map(\.ownKinds) == [[.refresh, .processing], [], []])
    }

    @Test func `a snapshot contains the launches that ended in the last week, oldest end first`() async throws {
        let ends = [9, 3, 2, 10, 2, 11].map { $0 * Self.day }
        for (index, seconds) in ends.enumerated() {
            let number = Int64(index + 1)
            try await ledger.commitAndWait([
                .startLaunch(plan(number, [])),
                .endLaunch(LaunchNumber(rawValue: number), end(at: seconds)),
            ])
        }
        let past = try ledger.snapshot(at: time(10 * Self.day)).past
        #expect(past.map(\.endedAt) == [3, 9, 10, 11].map { time($0 * Self.day) })
        #expect(try ledger.snapshot().past.count == ends.count)
    }

    @Test func `a limited list of past launches contains the newest ones`() async throws {
        for number in 1...5 as ClosedRange<Int64> {
            try await ledger.commitAndWait([
                .startLaunch(plan(number, [])), .endLaunch(LaunchNumber(rawValue: number), end(at: number)),
            ])
        }
        let past = try await ledger.database.read { try $0.pastLaunches(since: time(0), limit: 2) }
        #expect(past.map(\.endedAt) == [time(4), time(5)])
        #expect(Database.mostPastLaunches == 20_000)
    }

    @Test func `past launches are found by an index on their ends, without scan or sort`() throws {
        let plan = try ledger.queryPlan(PastLaunches.sql, [0, 10])
        #expect(plan.first == "SEARCH launch USING INDEX launch_by_end (ended_at>?)", "\(plan)")
        #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}

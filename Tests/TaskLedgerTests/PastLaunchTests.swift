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

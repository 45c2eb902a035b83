// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Statistics read ended launches, and only those")
struct TaskSampleTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    private func record(_ number: Int64, of plugin: PluginIdentifier = feed, endingAt seconds: Int64) async throws {
        let request = plainRequest(number, of: plugin)
        let launch = LaunchNumber(rawValue: number)
        try await ledger.commitAndWait([
            .storeRequest(request, payload: []), .startLaunch(plan(number, [.request(request)], of: plugin)),
            .endTask(launch, SubmissionNumber(rawValue: number)),
            outcome(.succeeded, launch: number, submission: number), .endLaunch(launch, end(at: seconds)),
        ])
    }

    @Test func `a sample has the delay from the due time of its task to the start of the launch`() async throws {
        try await record(1, endingAt: 2_000)
        let samples = try ledger.taskSamples(since: time(0))
        #expect(samples.isComplete)
        #expect(
            samples.samples == [
                .init(
                    launch: 1,
                    plugin: feed,
                    used: .milliseconds(1_250),
                    budget: .seconds(30),
                    kind: .refresh,
                    outcome: .succeeded,
                    // Submitted at 1 s, launched at 1,001 s.
                    delay: .seconds(1_000)
                )
            ]
        )
    }

    @Test func `running launches, earlier launches and launches of other plugins are no part of statistics`()
        async throws
    {
        try await record(1, endingAt: 2_000)
        try await record(2, endingAt: 3_000)
        try await record(3, of: cleaner, endingAt: 4_000)
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(4), payload: []), .startLaunch(plan(4, [.request(plainRequest(4))])),
        ])
        func launches(of plugins: [PluginIdentifier] = [], since seconds: Int64) throws -> [Int64] {
            try ledger.taskSamples(of: plugins, since: time(seconds)).samples.map(\.launch.rawValue).sorted()
        }
        #expect(try launches(since: 0) == [1, 2, 3])
        #expect(try launches(since: 2_500) == [2, 3])
        #expect(try launches(of: [feed], since: 2_500) == [2])
        #expect(try launches(of: [feed, cleaner], since: 0) == [1, 2, 3])
        #expect(try launches(of: [keyboard], since: 0) == [])
    }

    @Test func `the oldest pending work is the oldest request or event`() async throws {
        #expect(try ledger.oldestPending() == nil)
        try await ledger.commitAndWait([.storeRequest(plainRequest(7), payload: [])])
        #expect(try ledger.oldestPending() == time(7))
        try await ledger.commitAndWait([.storeEvent(trigger(3), payload: [])])
        #expect(try ledger.oldestPending() == time(3))
    }

    @Test func `the statements of statistics use indexes and sort nothing`() throws {
        let all = try ledger.queryPlan(TaskSampleStatements.all, [0, 1])
        #expect(all.contains { $0.contains("launch_by_end") }, "\(all)")
        let ofPlugin = try ledger.queryPlan(TaskSampleStatements.ofPlugin, ["com.example.feed", 1])
        #expect(ofPlugin.contains { $0.contains("launch_by_plugin") }, "\(ofPlugin)")
        let requests = try ledger.queryPlan(TaskSampleStatements.oldest[0], [])
        #expect(requests.contains { $0.contains("request_by_number") }, "\(requests)")
        let events = try ledger.queryPlan(TaskSampleStatements.oldest[1], [])
        #expect(events.contains { $0.contains("event_by_number") }, "\(events)")
        for step in all + ofPlugin + requests + events {
            #expect(!step.contains("TEMP B-TREE"), "\(step)")
            #expect(!["SCAN launch", "SCAN task", "SCAN plugin"].contains { step.hasPrefix($0) }, "\(step)")
        }
    }

    @Test func `an observer of groups receives the changes on disk, and none of a failed commit`() async throws {
        let groups = GroupWitness()
        let ledger = try Ledger.inMemory(onGroup: { groups.add($0) })
        try await ledger.commitAndWait([.storeRequest(plainRequest(1), payload: [])])
        await #expect(throws: LedgerError.self) { try await ledger.commitAndWait([.endLaunch(9, end())]) }
        #expect(groups.changes == [[.storeRequest(plainRequest(1), payload: [])]])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The last request of a task and its payload are kept after an end without success")
struct PastRequestTests {
    private let refresh = task("com.example.feed.refresh")

    private func outcome(_ outcome: TaskOutcome, of number: Int64, in launch: Int64) -> LedgerChange {
        .journal(
            JournalEntry(
                at: time(launch),
                event: .task(outcome),
                plugin: feed,
                launch: LaunchNumber(rawValue: launch),
                label: refresh.text,
                submission: SubmissionNumber(rawValue: number),
                blame: .plugin,
                message: ""
            )
        )
    }

    /// Runs a request with a payload in a launch with the same number, and ends it.
    private func run(
        _ number: Int64,
        payload: [UInt8],
        as result: TaskOutcome,
        in ledger: Ledger
    ) async throws -> PendingRequest {
        let request = fullRequest(number)
        try await ledger.commitAndWait([.storeRequest(request, payload: payload)])
        try await ledger.commitAndWait([.startLaunch(plan(number, [.request(request)]))])
        let launch = LaunchNumber(rawValue: number)
        try await ledger.commitAndWait([
            .endTask(launch, request.number), outcome(result, of: number, in: number), .endLaunch(launch, end()),
        ])
        return request
    }

    @Test(arguments: [TaskOutcome.failed, .expired, .overran, .abandoned])
    func `the request of a task that ended without success is read with its outcome and its payload`(
        result: TaskOutcome
    ) async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        let request = try await run(1, payload: [1, 2], as: result, in: ledger)
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        let past = try #require(try ledger.pastRequest(of: refresh))
        #expect(past.request == request && past.outcome == result && past.payload == [1, 2] && past.launch == 1)
        #expect(try ledger.label(of: 1) == refresh.text && ledger.label(of: 2) == nil)
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `the payload of a task that succeeded is not kept`() async throws {
        let ledger = try Ledger.inMemory()
        _ = try await run(1, payload: [1], as: .succeeded, in: ledger)
        let past = try #require(try ledger.pastRequest(of: refresh))
        #expect(past.outcome == .succeeded && past.payload == nil)
        #expect(try await keptPayloads(in: ledger) == 0)
    }

    @Test func `an empty payload is read as empty`() async throws {
        let ledger = try Ledger.inMemory()
        _ = try await run(1, payload: [], as: .failed, in: ledger)
        #expect(try ledger.pastRequest(of: refresh)?.payload == [])
    }

    @Test func `of each task only the payload of the last failure is kept`() async throws {
        let ledger = try Ledger.inMemory()
        _ = try await run(1, payload: [1], as: .failed, in: ledger)
        _ = try await run(2, payload: [2], as: .failed, in: ledger)
        #expect(try ledger.pastRequest(of: refresh)?.payload == [2])
        #expect(try await keptPayloads(in: ledger) == 1)
    }

    @Test func `pruning the launch and purging the plugin delete the kept payload`() async throws {
        var ledger = try Ledger.inMemory()
        _ = try await run(1, payload: [1], as: .failed, in: ledger)
        _ = try ledger.prune(journalOlderThan: time(0), launchesOlderThan: time(9_000_000))
        #expect(try await keptPayloads(in: ledger) == 0)

        ledger = try Ledger.inMemory()
        try await ledger.commitAndWait([.rememberPlugin(KnownPlugin(entry(feed)))])
        _ = try await run(1, payload: [1], as: .failed, in: ledger)
        try await ledger.commitAndWait([.forgetPlugin(feed)])
        #expect(try ledger.pastRequest(of: refresh)?.payload == nil)
        #expect(try await keptPayloads(in: ledger) == 0)
    }

    private func keptPayloads(in ledger: Ledger) async throws -> Int {
        try await ledger.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM kept_payload") ?? 0 }
    }
}

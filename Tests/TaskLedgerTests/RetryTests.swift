// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The failures of a retried task are stored with its request")
struct RetryTests {
    @Test func `the failures of a request are the same after a launch, a requeue and reopening`() async throws {
        let directory = try LedgerDirectory()
        var ledger = try Ledger.open(path: directory.path)
        var request = fullRequest(1)
        try await ledger.commitAndWait([.storeRequest(request, payload: [1])])
        try await ledger.commitAndWait([.startLaunch(plan(1, [.request(request)]))])
        #expect(try ledger.snapshot().running.first?.unfinished == [.request(request)])
        request.retry.failures += 1
        let entry = JournalEntry(
            at: time(3),
            event: .task(.retrying),
            plugin: feed,
            launch: 1,
            label: "com.example.feed.refresh",
            submission: 1,
            blame: .plugin,
            message: "attempt 5 of 9 failed"
        )
        try await ledger.commitAndWait([
            .journal(entry), .requeueTask(1, .request(request), at: time(3)), .endLaunch(1, end()),
        ])
        try ledger.close()
        ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.work(of: feed).requests == [request])
        #expect(try ledger.launch(1)?.tasks.map(\.outcome) == [.retrying])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }

    @Test func `work of a ledger of version 9 has no failures after a migration`() async throws {
        let directory = try LedgerDirectory()
        let older = try DatabasePool(path: directory.path)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[8].name)
        try await older.write { database in
            try database.execute(
                sql: """
                    INSERT INTO plugin VALUES (1, 'com.example.feed');
                    INSERT INTO request (plugin, identifier, number, kind, requires_network, requires_external_power,
                        submitted_at, attempts, runs_alone, was_interrupted, payload_size)
                    VALUES (1, 'com.example.feed.refresh', 4, 1, 0, 1, 4000000000, 2, 0, 1, 0);
                    UPDATE counter SET submission = 4;
                    """
            )
        }
        try older.close()
        let ledger = try Ledger.open(path: directory.path)
        #expect(try ledger.work(of: feed).requests.map(\.retry) == [Retry(attempts: 2, wasInterrupted: true)])
        try ledger.close()
        #expect(LedgerInspection(path: directory.path).problems.isEmpty)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel
import Testing

@testable import TaskLedger

@Suite("The pending span of a task, from its submission to its newest launch, is found with its wait key")
struct PendingSpanTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    private let refresh = PendingWork.request(plainRequest(1))
    private let label = "com.example.feed.refresh"

    @Test
    func `the pending span of a finished task is found by its label, and selects the waits within the span`()
        async throws
    {
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), wait(refresh, for: ["network"], at: 1),
            wait(refresh, for: ["heat"], at: 900), .startLaunch(plan(1, [refresh])), wait(refresh, for: [], at: 1_001),
            wait(refresh, for: ["spacing"], at: 1_500),
        ])
        #expect(try ledger.pendingSpan(ofNewestTask: label) == nil)
        try await ledger.commitAndWait([
            .endTask(1, 1), outcome(.succeeded, launch: 1, submission: 1), .endLaunch(1, end()), note("no task"),
        ])
        let span = try #require(try ledger.pendingSpan(ofNewestTask: label))
        #expect(span.submission == 1 && span.key == WaitKey(of: refresh))
        #expect(span.since == time(1) && span.until == time(1_001))
        #expect(try ledger.waits(WaitSelection(span, limit: 9)).map(\.reason) == ["network", "heat"])
    }

    @Test
    func `a journal entry of a later submission does not hide the newest finished task of that label`() async throws {
        let submitted = JournalEntry(
            at: time(5),
            event: .submitted,
            plugin: refresh.plugin,
            launch: 9,
            label: label,
            submission: 2,
            blame: .nobody,
            message: "submitted"
        )
        try await ledger.commitAndWait([
            .storeRequest(plainRequest(1), payload: []), .startLaunch(plan(1, [refresh])), .endTask(1, 1),
            outcome(.succeeded, launch: 1, submission: 1), .endLaunch(1, end()), .journal(submitted),
        ])
        #expect(try ledger.pendingSpan(ofNewestTask: label)?.submission == 1)
    }

    @Test func `the pending span of a running task is found by launch and submission number`() async throws {
        try await ledger.commitAndWait([
            .storeRequest(fullRequest(1), payload: []), .startLaunch(plan(7, [.request(fullRequest(1))])),
        ])
        let span = try #require(try ledger.pendingSpan(ofTask: 1, in: 7))
        #expect(span.key == WaitKey(of: .request(fullRequest(1))) && span.submission == 1)
        #expect(try ledger.pendingSpan(ofTask: 2, in: 7) == nil)
        #expect(try ledger.pendingSpan(ofTask: 1, in: 8) == nil)
    }

    @Test
    func `the pending span of a task that ran several times ends at its newest launch`() async throws {
        try await ledger.commitAndWait([.storeRequest(plainRequest(1), payload: [])])
        for number in 1...3 as ClosedRange<Int64> {
            let launch = LaunchNumber(rawValue: number)
            try await ledger.commitAndWait([
                .startLaunch(plan(number, [refresh])), .requeueTask(launch, refresh, at: time(9)),
                outcome(.crashed, launch: number, submission: 1), .endLaunch(launch, end(.crashed)),
            ])
        }
        let span = try #require(try ledger.pendingSpan(ofNewestTask: label))
        #expect(span.since == time(1) && span.until == time(1_003))
    }

    @Test func `among events with one name, the pending span of the given plugin's event is found`() async throws {
        let events = [started(1), started(2, of: cleaner)]
        for (event, launch) in zip(events, [LaunchNumber(rawValue: 1), 2]) {
            let ended = JournalEntry(
                at: time(5),
                event: .task(.succeeded),
                plugin: event.plugin,
                launch: launch,
                label: "started",
                submission: event.number,
                blame: .nobody,
                message: "done"
            )
            try await ledger.commitAndWait([
                .storeEvent(event, payload: []),
                .startLaunch(plan(launch.rawValue, [.event(event)], of: event.plugin)),
                .endTask(launch, event.number), .journal(ended), .endLaunch(launch, end()),
            ])
        }
        let span = try #require(try ledger.pendingSpan(ofNewestTask: "started", plugin: feed))
        #expect(span.submission == 1 && span.key == WaitKey(plugin: feed, workClass: .event) && span.since == time(1))
        #expect(try ledger.pendingSpan(ofNewestTask: "started")?.submission == 2)
        #expect(try ledger.pendingSpan(ofNewestTask: "started", plugin: keyboard) == nil)
    }

    @Test func `the pending span of a task that joined a launch begins and ends at its submission`() async throws {
        let late = PendingRequest(
            plugin: feed,
            number: 2,
            request: continuedRequest(2).request,
            submitter: .user,
            submittedAt: time(1_500)
        )
        try await ledger.commitAndWait([
            .startLaunch(plan(1, [])), .storeRequest(late, payload: []), delivered(.request(late), in: 1, index: 0),
            .endTask(1, 2), .endLaunch(1, end()),
        ])
        let span = try #require(try ledger.pendingSpan(ofTask: 2, in: 1))
        #expect(span.since == time(1_500) && span.until == time(1_500))
        _ = try ledger.prune(journalOlderThan: time(0), launchesOlderThan: time(9_000))
        #expect(try ledger.pendingSpan(ofTask: 2, in: 1) == nil)
    }

    @Test
    func `the newest task of a label is found by an index without sort, and the span of a task without scan`() throws {
        for (plugin, index) in [(nil, "journal_by_label (label=?)"), (feed, "journal_by_plugin (plugin=?)")] {
            let (sql, arguments) = Span.newest(label, plugin)
            let plan = try ledger.queryPlan(sql, arguments)
            #expect(plan.first == "SEARCH journal USING INDEX \(index)", "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
        let plan = try ledger.queryPlan(Span.ofTask, [1, 1])
        #expect(!plan.contains { $0.contains("SCAN") }, "\(plan)")
    }
}

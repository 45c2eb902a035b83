// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

@Suite("Fetch intervals and scheduled occurrences are stored until their plugin is forgotten")
struct ScheduleTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    private let schedule = FetchSchedule(interval: .nanoseconds(3_600_000_000_001), last: time(7))

    @Test func `a fetch interval is read back as it was set last`() async throws {
        let other = FetchSchedule(interval: .seconds(60), last: time(8))
        try await ledger.commitAndWait([.setFetch(feed, schedule), .setFetch(cleaner, schedule)])
        #expect(try ledger.snapshot().fetches == [feed: schedule, cleaner: schedule])
        try await ledger.commitAndWait([.setFetch(feed, other), .setFetch(cleaner, nil), .setFetch(keyboard, nil)])
        #expect(try ledger.snapshot().fetches == [feed: other])
    }

    @Test func `a fetch interval beyond 64 bits of nanoseconds is stored as the maximum`() async throws {
        let never = FetchSchedule(interval: .seconds(Int64.max), last: time(1))
        try await ledger.commitAndWait([.setFetch(feed, never)])
        #expect(try ledger.snapshot().fetches[feed]?.interval == .nanoseconds(Int64.max))
    }

    @Test func `a scheduled occurrence is read back as it was recorded last`() async throws {
        let (refresh, clean) = (task("com.example.feed.refresh"), task("com.example.feed.clean"))
        try await ledger.commitAndWait([.recordOccurrence(refresh, at: time(1)), .recordOccurrence(clean, at: time(2))])
        try await ledger.commitAndWait([.recordOccurrence(refresh, at: time(3))])
        #expect(try ledger.snapshot().occurrences == [refresh: time(3), clean: time(2)])
    }

    @Test func `forgetting a plugin deletes its fetch interval and the occurrences of its identifiers`() async throws {
        let (refresh, export) = (task("com.example.feed.refresh"), task("com.example.feed.export.photos"))
        let (foreign, unknown) = (task("com.example.cleaner.refresh"), task("com.example.feed.clean"))
        try await ledger.commitAndWait([
            .rememberPlugin(KnownPlugin(entry(feed))), .rememberPlugin(KnownPlugin(entry(cleaner))),
            .setFetch(feed, schedule), .setFetch(cleaner, schedule), .recordOccurrence(refresh, at: time(1)),
            .recordOccurrence(export, at: time(2)), .recordOccurrence(foreign, at: time(3)),
            .recordOccurrence(unknown, at: time(4)),
        ])
        try await ledger.commitAndWait([.forgetPlugin(feed)])
        #expect(try ledger.snapshot().fetches == [cleaner: schedule])
        #expect(try ledger.snapshot().occurrences == [foreign: time(3), unknown: time(4)])
    }

    @Test func `forgetting a plugin keeps the scheduled occurrences of identifiers that another plugin permits`()
        async throws
    {
        let refresh = task("com.example.feed.refresh")
        let heir = KnownPlugin(
            identifier: cleaner,
            manifestPath: "/m",
            manifestDigest: "c",
            libraryDigest: "d",
            permitted: [.exact(refresh)]
        )
        try await ledger.commitAndWait([
            .rememberPlugin(KnownPlugin(entry(feed))), .rememberPlugin(heir), .recordOccurrence(refresh, at: time(1)),
            .forgetPlugin(feed),
        ])
        #expect(try ledger.snapshot().occurrences == [refresh: time(1)])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

@Suite("What a plugin is to be woken for is remembered until it is forgotten")
struct ScheduleTests {
    let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    private let schedule = FetchSchedule(interval: .nanoseconds(3_600_000_000_001), last: time(7))

    @Test func `a fetch interval comes back as it was set last`() async throws {
        let other = FetchSchedule(interval: .seconds(60), last: time(8))
        try await ledger.commitAndWait([.setFetch(feed, schedule), .setFetch(cleaner, schedule)])
        #expect(try ledger.snapshot().fetches == [feed: schedule, cleaner: schedule])
        try await ledger.commitAndWait([.setFetch(feed, other), .setFetch(cleaner, nil), .setFetch(keyboard, nil)])
        #expect(try ledger.snapshot().fetches == [feed: other])
    }

    @Test func `an interval longer than anybody lives is kept as long as the ledger can hold`() async throws {
        let never = FetchSchedule(interval: .seconds(Int64.max), last: time(1))
        try await ledger.commitAndWait([.setFetch(feed, never)])
        #expect(try ledger.snapshot().fetches[feed]?.interval == .nanoseconds(Int64.max))
    }

    @Test func `an occasion comes back as it was recorded last`() async throws {
        let (refresh, clean) = (task("com.example.feed.refresh"), task("com.example.feed.clean"))
        try await ledger.commitAndWait([.recordOccasion(refresh, at: time(1)), .recordOccasion(clean, at: time(2))])
        try await ledger.commitAndWait([.recordOccasion(refresh, at: time(3))])
        #expect(try ledger.snapshot().occasions == [refresh: time(3), clean: time(2)])
    }

    @Test func `a forgotten plugin takes its fetch interval and its occasions along`() async throws {
        let (refresh, export) = (task("com.example.feed.refresh"), task("com.example.feed.export.photos"))
        let (foreign, unknown) = (task("com.example.cleaner.refresh"), task("com.example.feed.clean"))
        try await ledger.commitAndWait([
            .rememberPlugin(KnownPlugin(entry(feed))), .rememberPlugin(KnownPlugin(entry(cleaner))),
            .setFetch(feed, schedule), .setFetch(cleaner, schedule), .recordOccasion(refresh, at: time(1)),
            .recordOccasion(export, at: time(2)), .recordOccasion(foreign, at: time(3)),
            .recordOccasion(unknown, at: time(4)),
        ])
        try await ledger.commitAndWait([.forgetPlugin(feed)])
        #expect(try ledger.snapshot().fetches == [cleaner: schedule])
        #expect(try ledger.snapshot().occasions == [foreign: time(3), unknown: time(4)])
    }

    @Test func `what another plugin is permitted by now stays`() async throws {
        let refresh = task("com.example.feed.refresh")
        let heir = KnownPlugin(
            identifier: cleaner,
            manifestPath: "/m",
            manifestDigest: "c",
            libraryDigest: "d",
            permitted: [.exact(refresh)]
        )
        try await ledger.commitAndWait([
            .rememberPlugin(KnownPlugin(entry(feed))), .rememberPlugin(heir), .recordOccasion(refresh, at: time(1)),
            .forgetPlugin(feed),
        ])
        #expect(try ledger.snapshot().occasions == [refresh: time(1)])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import TaskLedger

@Suite("The journal is filtered in the database, by index")
struct JournalFilterTests {
    private let ledger: Ledger

    init() throws { ledger = try Ledger.inMemory() }

    /// Every combination of seven filters, one bit each. The last one adds a second event.
    private static let combinations: [JournalFilter] = (0..<128).map { bits in
        func when<Value>(_ bit: Int, _ value: Value) -> Value? { bits & (1 << bit) == 0 ? nil : value }
        return JournalFilter(
            plugin: when(0, feed),
            launch: when(1, 7),
            label: when(2, "com.example.feed.refresh"),
            events: Set([when(3, .task(.crashed)), when(6, .cancelled)].compactMap { $0 }),
            blame: when(4, .plugin),
            since: when(5, time(1_000))
        )
    }

    private func fits(_ record: JournalRecord, _ filter: JournalFilter) -> Bool {
        (filter.plugin.map { $0 == record.plugin } ?? true) && (filter.launch.map { $0 == record.launch } ?? true)
            && (filter.label.map { $0 == record.label } ?? true)
            && (filter.events.isEmpty || filter.events.map(\.name).contains(record.event))
            && (filter.blame.map { $0 == record.blame } ?? true) && (filter.since.map { $0 <= record.at } ?? true)
    }

    /// Writes one entry for every combination of values. Their times alternate around the time of the filter.
    private func fill() async throws {
        var changes: [LedgerChange] = []
        for bits in 0..<64 {
            let isOne = { (bit: Int) in bits & (1 << bit) != 0 }
            changes.append(
                .journal(
                    JournalEntry(
                        at: time(isOne(0) ? 1_000 : 999),
                        event: isOne(1) ? .task(.crashed) : .cancelled,
                        plugin: isOne(2) ? feed : cleaner,
                        launch: isOne(3) ? 7 : nil,
                        label: isOne(4) ? "com.example.feed.refresh" : nil,
                        blame: isOne(5) ? .plugin : .user,
                        message: "\(bits)"
                    )
                )
            )
        }
        try await ledger.commitAndWait(changes)
    }

    @Test
    func `each combination of filters selects the matching journal entries from either end, up to a limit`()
        async throws
    {
        try await fill()
        let all = try ledger.journal(JournalSelection(limit: 1_000))
        #expect(all.count == 64)
        for filter in Self.combinations {
            let wanted = all.filter { fits($0, filter) }
            #expect(!wanted.isEmpty)
            #expect(try ledger.journal(JournalSelection(filter: filter, limit: 100)) == wanted)
            let newest = JournalSelection(filter: filter, newestFirst: true, limit: 3)
            #expect(try ledger.journal(newest) == Array(wanted.reversed().prefix(3)))
            let after = JournalNumber(rawValue: 40)
            #expect(
                try ledger.journal(JournalSelection(after: after, filter: filter, limit: 2))
                    == Array(wanted.filter { $0.number > after }.prefix(2))
            )
            let older = JournalSelection(before: after, filter: filter, newestFirst: true, limit: 2)
            #expect(try ledger.journal(older) == Array(wanted.filter { $0.number < after }.reversed().prefix(2)))
        }
    }

    @Test func `the filter of claims selects the entries with a claim in the order of numbers, by index`()
        async throws
    {
        try await fill()
        let claim = Claim(item: 71, fence: 3, isBound: true)
        let messages = ["accepted", "succeeded"]
        try await ledger.commitAndWait(
            messages.map { message in
                .journal(
                    JournalEntry(
                        at: time(1_000),
                        event: .submitted,
                        plugin: feed,
                        blame: .nobody,
                        message: message,
                        claim: claim
                    )
                )
            }
        )
        let selection = JournalSelection(filter: JournalFilter(hasClaim: true), limit: 9)
        let found = try ledger.journal(selection)
        #expect(found.map(\.message) == messages && found.allSatisfy { $0.claim == claim })
        let (sql, arguments) = selection.statement
        let plan = try ledger.queryPlan(sql, arguments)
        #expect(plan.contains { $0.contains("USING INDEX journal_with_claim") }, "\(plan)")
        #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test func `a journal filter with a value that no entry has, or a time after every entry, selects no entry`()
        async throws
    {
        try await fill()
        for filter in [
            JournalFilter(plugin: keyboard), JournalFilter(launch: 8), JournalFilter(since: time(1_001)),
            JournalFilter(label: "com.example.feed"), JournalFilter(events: [.replaced]),
            JournalFilter(blame: .machine),
        ] {
            #expect(try ledger.journal(JournalSelection(filter: filter, limit: 9)).isEmpty)
        }
    }

    @Test(arguments: combinations, [false, true])
    func `no combination of filters scans or sorts the journal`(filter: JournalFilter, newestFirst: Bool) throws {
        let before = newestFirst ? JournalNumber(rawValue: 40) : nil
        let selection = JournalSelection(before: before, filter: filter, newestFirst: newestFirst, limit: 50)
        var equalities = filter
        equalities.since = nil
        let isNarrow = equalities != JournalFilter()
        for part in selection.parts {
            let (sql, arguments) = part.statement
            let plan = try ledger.queryPlan(sql, arguments)
            #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
            #expect(!isNarrow || plan.contains { $0.contains("USING INDEX journal_by_") }, "\(plan)")
            #expect(filter.since == nil || plan.contains { $0.contains("journal_by_time (at>?)") }, "\(plan)")
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel
import Testing

@testable import TaskLedger

@Suite("Commits of work precede commits of history (waits, journal) on which they do not depend")
struct CommitOrderTests {
    private let refresh = PendingWork.request(plainRequest(1))
    private let clean = PendingWork.request(plainRequest(2, of: cleaner))

    private func answers(_ count: Int) -> [[LedgerChange]] {
        (1...count).map { [.storeRequest(plainRequest(Int64($0), "r\($0)"), payload: [])] }
    }

    @Test
    func `a commit that stores a request is written before a thousand earlier commits of waits and journal entries`()
        async throws
    {
        let held = try await HeldLedger()
        let history: [[LedgerChange]] = (1...1_000).map { number in
            number % 2 == 0 ? [note("\(number)")] : [wait(clean, for: ["heat"], at: Int64(number))]
        }
        let order = await held.write(history + [[.storeRequest(plainRequest(1), payload: [])]])
        #expect(order == [1_001] + Array(1...1_000))
        #expect(held.gate.groupSizes == [1, 1, 512, 488])
    }

    @Test(arguments: [
        [LedgerChange.storeEvent(trigger(1), payload: [])], [.removeRequest(1)], [.removeEvent(1)],
        [.startLaunch(plan(1, []))], [.rememberPlugin(KnownPlugin(entry(feed)))], [.forgetPlugin(feed)],
        [.setPause(feed, nil)], [.setFetch(feed, nil)], [.setUses(feed, UseHistogram(firstUse: 1))],
        [.recordOccurrence(task("com.example.feed.refresh"), at: time(1))],
        [note("beside an answer"), .removeRequest(1)], [],
    ])
    func `a commit with a change that is no wait, deferral or journal entry precedes an earlier journal entry`(
        changes: [LedgerChange]
    ) async throws {
        let held = try await HeldLedger()
        #expect(await held.write([[note("1")], changes]) == [2, 1])
        #expect(held.reports.failures.isEmpty)
    }

    @Test
    func `a commit with a task's outcome keeps its order among commits of work, and precedes an earlier journal entry`()
        async throws
    {
        let held = try await HeldLedger()
        let order = await held.write([
            [.storeRequest(plainRequest(1), payload: []), .startLaunch(plan(1, [refresh]))], [note("history")],
            [outcome(.crashed, launch: 1, submission: 1)],
            [.endTask(1, 1), outcome(.succeeded, launch: 1, submission: 1), .endLaunch(1, end())],
        ])
        #expect(order == [1, 3, 4, 2])
        #expect(try held.ledger.launch(1)?.tasks.map(\.outcome) == [.succeeded])
    }

    @Test
    func `the journal entry about a user's call precedes that of the launch that the call starts, and older history`()
        async throws
    {
        let held = try await HeldLedger()
        let call = JournalEntry(
            at: time(1),
            event: .launchRequested,
            plugin: feed,
            blame: .nobody,
            message: "",
            user: CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")
        )
        let launched = JournalEntry(at: time(2), event: .launched, plugin: feed, launch: 1, blame: .nobody, message: "")
        let order = await held.write([
            [note("history")], [.journal(call)], [.startLaunch(plan(1, [])), .journal(launched)],
        ])
        #expect(order == [2, 3, 1])
    }

    @Test func `a commit for which a caller waits is no commit of history, even if it contains only journal entries`() {
        #expect(!WaitingCommit(origin: .waiter({ _ in }), changes: [note("awaited")]).isHistory)
        #expect(WaitingCommit(origin: .loop(ticket: 1), changes: [note("history")]).isHistory)
    }

    @Test
    func `a waiting journal entry is written after four groups of commits of work, although more such commits wait`()
        async throws
    {
        let held = try await HeldLedger()
        let order = await held.write([[note("history")]] + answers(6 * 512))
        #expect(held.gate.groupSizes == [1, 512, 512, 512, 512, 1, 512, 512])
        #expect(order.firstIndex(of: 1) == 4 * 512)
        #expect(order.filter { $0 != 1 } == Array(2...UInt64(6 * 512 + 1)))
    }

    @Test
    func `a journal entry waits for at most four groups of commits of work that begin after its arrival`()
        async throws
    {
        let (gate, reports, late) = (Gate(), Reports(), LateTicket(group: 4))
        var hooks = gate.hooks
        let hold = hooks.beforeGroupCommit
        hooks.beforeGroupCommit = { count in
            try hold?(count)
            late.submit()
        }
        let ledger = try Ledger.inMemory(hooks: hooks, onCommit: reports.collect)
        late.ledger.withLock { $0 = ledger }
        ledger.submit(ticket: 0, changes: [])
        await gate.reached()
        for (index, changes) in answers(9 * 512).enumerated() {
            ledger.submit(ticket: UInt64(index + 1), changes: changes)
        }
        gate.open()
        await reports.reached(9 * 512 + 2)
        // The group of ticket 0 and three full groups began before the late ticket arrived; four full groups follow.
        #expect(reports.tickets.firstIndex(of: LateTicket.number) == 1 + 7 * 512)
        late.ledger.withLock { $0 = nil }
    }

    @Test
    func `a commit of work with a plugin's waits is written after the plugin's earlier waits and deferrals`()
        async throws
    {
        let held = try await HeldLedger()
        let order = await held.write([
            [wait(clean, for: ["heat"], at: 1)], [wait(refresh, for: ["network"], at: 2)], [note("other")],
            [.setDeferrals(WaitKey(of: refresh), [deferral(3)])],
            [.removeRequest(1), wait(refresh, for: [], at: 4), .setDeferrals(WaitKey(of: refresh), [])],
        ])
        #expect(order == [2, 4, 5, 1, 3])
        #expect(try held.ledger.work(of: feed) == PluginWork(plugin: feed))
        #expect(try held.ledger.work(of: cleaner).waits == [WorkClass(of: clean): ["heat"]])
    }

    @Test
    func `waits that follow a commit of work with waits of the same plugin are written right after that commit`()
        async throws
    {
        let held = try await HeldLedger()
        let order = await held.write([
            [note("history")], [.removeRequest(1), wait(refresh, for: [], at: 1)],
            [wait(refresh, for: ["network"], at: 2)], [wait(refresh, for: ["heat"], at: 3)],
        ])
        #expect(order == [2, 3, 4, 1])
        #expect(try held.ledger.work(of: feed).waits == [WorkClass(of: refresh): ["heat"]])
    }

    @Test
    func `waits and deferrals of a plugin, committed before and after its record is deleted, keep their order`()
        async throws
    {
        let held = try await HeldLedger()
        let order = await held.write([
            [wait(refresh, for: ["network"], at: 1)], [.setDeferrals(WaitKey(of: refresh), [deferral(1)])],
            [.forgetPlugin(feed)], [.forgetPlugin(cleaner)], [wait(refresh, for: ["heat"], at: 2)],
        ])
        #expect(order == [1, 2, 3, 4, 5])
        #expect(try held.ledger.work(of: feed).waits == [WorkClass(of: refresh): ["heat"]])
        #expect(try held.ledger.work(of: feed).deferrals.isEmpty)
    }

    @Test
    func `a plugin's waits, and the commits on which they depend, are written before its record is deleted`()
        async throws
    {
        let held = try await HeldLedger()
        let order = await held.write([
            [wait(clean, for: ["a"], at: 1)], [wait(refresh, for: ["b"], at: 2), wait(clean, for: ["b"], at: 2)],
            [.setDeferrals(WaitKey(plugin: keyboard, workClass: .event), [deferral(1)])], [.forgetPlugin(feed)],
        ])
        #expect(order == [1, 2, 4, 3])
        #expect(try held.ledger.work(of: cleaner).waits == [WorkClass(of: clean): ["b"]])
    }

    @Test func `random commits leave the same waits and deferrals as commits written in the order of submission`()
        async throws
    {
        for seed in UInt64(1)...6 {
            var random = SeededGenerator(seed: seed)
            let tickets = (0..<200).map { _ in randomTicket(&random) }
            let held = try await HeldLedger(clockStep: .microseconds(900))
            let order = await held.write(tickets)
            #expect(order.sorted() == Array(1...200) && held.reports.failures.isEmpty)
            #expect(seed != 1 || order != Array(1...200))

            let inOrder = try Ledger.inMemory()
            for changes in tickets { try await inOrder.commitAndWait(changes) }
            for plugin in [feed, cleaner, keyboard] {
                #expect(try held.ledger.work(of: plugin) == inOrder.work(of: plugin))
                for workClass in [WorkClass(of: refresh), .event] {
                    let key = WaitKey(plugin: plugin, workClass: workClass)
                    let selection = WaitSelection(key: key, from: time(0), limit: 1_000)
                    #expect(try held.ledger.waits(selection) == inOrder.waits(selection))
                }
            }
        }
    }

    private func randomTicket(_ random: inout SeededGenerator) -> [LedgerChange] {
        (0..<Int.random(in: 1...2, using: &random)).map { _ in
            let plugin = [feed, cleaner, keyboard].randomElement(using: &random) ?? feed
            let workClass = Bool.random(using: &random) ? WorkClass(of: refresh) : .event
            let key = WaitKey(plugin: plugin, workClass: workClass)
            let at = Int64.random(in: 1...99, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .forgetPlugin(plugin)
            case 1: return .setFetch(plugin, nil)
            case 2...4: return .setDeferrals(key, [deferral(at)])
            case 5: return note("\(at)", plugin: plugin)
            default:
                let reasons = ["heat", "network", "spacing"].filter { _ in Bool.random(using: &random) }
                return .recordWait(key, reasons: reasons, at: time(at))
            }
        }
    }
}

/// A ticket of history that is submitted while a group is written.
private final class LateTicket: Sendable {
    static let number: UInt64 = 9_999

    let ledger = Mutex<Ledger?>(nil)
    private let left: Mutex<Int>

    /// Creates the ticket.
    ///
    /// - Parameter group: The number of the group during which the ticket is submitted, from 1.
    init(group: Int) { left = Mutex(group) }

    /// Submits the ticket if the present group is the chosen one. Called once for each group.
    func submit() {
        let isDue = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isDue { ledger.withLock { $0 }?.submit(ticket: Self.number, changes: [note("history")]) }
    }
}

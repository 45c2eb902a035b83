// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The number of journal entries about pushes is bounded, and their counts add up", .proves(85, "C21"))
struct PushLineTests {
    private let host = SchedulerDriver(.pushed())

    private func count(_ event: JournalEntry.Event) -> Int { host.entries(event).compactMap(\.count).reduce(0, +) }

    @Test func `a steady sender causes a bounded number of journal entries, whose counts add up`() throws {
        host.change(memoryLow: true)
        for _ in 1...100 { host.push() }
        #expect(host.entries(.submitted).count == 10 && host.entries(.replaced).count == 9)
        #expect(host.ledger.pushSums[.app]?.map(\.accepted) == [90])
        host.advance(by: .minutes(1))
        #expect(host.entries(.submitted).count == 11 && host.entries(.replaced).count == 10)
        #expect(count(.submitted) == 100 && count(.replaced) == 99 && host.ledger.pushSums.isEmpty)
        let newest = try #require(host.request(.appPush)?.number)
        #expect(host.entries(.submitted).last?.submission == newest)
        for _ in 1...5 { host.push() }
        #expect(host.entries(.submitted).count == 16)
    }

    @Test func `counted pushes have the users that sent them`() throws {
        host.change(memoryLow: true)
        let users = [1_000, 2_000].map { CallingUser(uid: $0, pid: 1, command: "bgtask") }
        for number in 1...30 {
            host.caller = users[number % 2]
            host.push(until: number > 28 ? .seconds(-1) : nil)
        }
        host.caller = nil
        host.advance(by: .minutes(1))
        let sums = host.entries(.submitted).suffix(2)
        #expect(sums.map(\.user) == users && sums.map(\.count) == [10, 10])
        #expect(host.entries(.lapsed).map(\.count) == [1, 1] && count(.replaced) == 27)
    }

    @Test func `pushes that were counted before a kill of the host get their entries after the restart`() throws {
        host.change(memoryLow: true)
        for _ in 1...30 { host.push() }
        host.restart()
        host.advance(by: .seconds(1))
        #expect(count(.submitted) == 30 && count(.replaced) == 29 && host.ledger.pushSums.isEmpty)
        let last = try #require(host.request(.appPush)?.number)
        #expect(try #require(host.push()?.submission) > last)
    }

    @Test func `counted pushes whose entries cannot be recorded get them later, once`() {
        host.change(memoryLow: true)
        for _ in 1...30 { host.push() }
        host.commits = .failing
        host.advance(by: .minutes(1))
        host.push()
        host.commits = .written
        host.advance(by: .minutes(1))
        #expect(count(.submitted) == 30 && count(.replaced) == 29 && host.ledger.pushSums.isEmpty)
    }

    @Test func `entries about pushes that are accepted together have the users of these pushes`() throws {
        host.change(memoryLow: true)
        host.commits = .held
        host.push()
        let users = [1_000, 2_000].map { CallingUser(uid: $0, pid: 1, command: "bgtask") }
        for (user, deadline) in [(users[0], nil), (users[1], nil), (users[0], Duration.seconds(-1)), (users[1], nil)] {
            host.caller = user
            host.push(until: deadline)
        }
        host.caller = nil
        host.writeHeldCommits()
        let accepted = host.entries(.submitted).dropFirst()
        #expect(accepted.map(\.user) == users)
        #expect(accepted.map(\.count) == [2, 2])
        let first = try #require(host.entries(.submitted).first?.submission).rawValue
        let numbers = [(first + 1, first + 3), (first + 2, first + 4)]
        #expect(accepted.map(\.message) == numbers.map { "2 pushes, from \($0) to \($1), accepted" })
        #expect(host.entries(.lapsed).map(\.user) == [users[0]])
        #expect(host.entries(.replaced).map(\.user) == [users[1]])
    }

    @Test func `pushes that lapse together have one entry with their count for each user and cause`() throws {
        host.change(memoryLow: true)
        host.commits = .held
        host.push()
        let users = [1_000, 2_000].map { CallingUser(uid: $0, pid: 1, command: "bgtask") }
        for number in 0..<40 {
            host.caller = users[number % 2]
            host.push(until: number < 20 ? .seconds(-1) : nil, isOnlyNow: number >= 20)
        }
        host.caller = nil
        host.writeHeldCommits()
        let lapses = host.entries(.lapsed)
        #expect(lapses.map(\.count) == [10, 10, 10, 10])
        #expect(lapses.map(\.user) == [users[0], users[0], users[1], users[1]])
        let first = try #require(host.entries(.submitted).first?.submission).rawValue
        #expect(lapses.first?.message.hasPrefix("10 pushes, from \(first + 1) to \(first + 19), lapsed: ") == true)
    }
}

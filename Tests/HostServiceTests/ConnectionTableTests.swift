// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import HostService

@Suite("Held connections of one user delay no other user")
struct ConnectionTableTests {
    private static let limits = ConnectionTable<Int>.Limits(perUser: 4, total: 10, forRoot: 2)
    private let alice: UInt32 = 1_001
    private let bob: UInt32 = 1_002
    private let carol: UInt32 = 1_003

    private func table() -> ConnectionTable<Int> { ConnectionTable(limits: Self.limits) }

    @Test func `control connections within the limits per user and in total are accepted`() {
        var table = table()
        for key in 1...4 { #expect(table.open(key, user: alice) == .accepted) }
        for key in 5...8 { #expect(table.open(key, user: bob) == .accepted) }
        #expect(table.count == 8)
    }

    @Test func `a user's connection beyond the limit per user displaces the user's longest idle one`() {
        var table = table()
        for key in 1...4 { _ = table.open(key, user: alice) }
        table.setIdle(1, false)
        #expect(table.open(5, user: alice) == .acceptedInPlace(of: 2))
        table.setIdle(1, true)
        #expect(table.open(6, user: alice) == .acceptedInPlace(of: 3))
        #expect(table.count == 4)
    }

    @Test func `a user's connection beyond the limit is refused when a call is in progress on each of the others`() {
        var table = table()
        for key in 1...4 {
            _ = table.open(key, user: alice)
            table.setIdle(key, false)
        }
        #expect(table.open(5, user: alice) == .refused)
        #expect(table.open(6, user: bob) == .accepted)
        table.close(2)
        #expect(table.open(7, user: alice) == .accepted)
    }

    @Test func `at the total limit of connections a new user displaces an idle one of the user with the most`() {
        var table = table()
        for key in 1...4 { _ = table.open(key, user: alice) }
        for key in 5...7 { _ = table.open(key, user: bob) }
        _ = table.open(8, user: 1_004)
        #expect(table.open(9, user: carol) == .acceptedInPlace(of: 1))
        // Carol has as many as the user of connection 8, and fewer than the others.
        #expect(table.open(10, user: carol) == .acceptedInPlace(of: 2))
        #expect(table.count == 8)
    }

    @Test func `a user with more connections displaces no connection of a user with fewer ones`() {
        var table = table()
        for key in 1...4 {
            _ = table.open(key, user: alice)
            table.setIdle(key, false)
        }
        for key in 5...7 { _ = table.open(key, user: bob) }
        _ = table.open(8, user: carol)
        #expect(table.open(9, user: bob) == .acceptedInPlace(of: 5))
        table.setIdle(6, false)
        table.setIdle(7, false)
        table.setIdle(9, false)
        #expect(table.open(10, user: bob) == .refused)
        #expect(table.count == 8)
    }

    @Test func `a part of the total limit of control connections is reserved for root`() {
        var table = table()
        for key in 1...4 { _ = table.open(key, user: alice) }
        for key in 5...8 { _ = table.open(key, user: bob) }
        for key in 1...8 { table.setIdle(key, false) }
        #expect(table.open(9, user: carol) == .refused)
        #expect(table.open(10, user: 0) == .accepted)
        #expect(table.open(11, user: 0) == .accepted)
        #expect(table.open(12, user: carol) == .refused)
        #expect(table.open(13, user: 0) == .acceptedInPlace(of: 10))
        table.setIdle(11, false)
        table.setIdle(13, false)
        #expect(table.open(14, user: 0) == .refused)
    }

    @Test func `an idle connection of root beyond the reserve is closed for another user at the total limit`() {
        var table = table()
        for key in 1...4 { _ = table.open(key, user: 0) }
        for key in 5...8 { _ = table.open(key, user: alice) }
        for key in 9...10 { _ = table.open(key, user: bob) }
        table.setIdle(1, false)
        #expect(table.open(11, user: carol) == .acceptedInPlace(of: 2))
        for key in [3, 4, 5, 6, 7, 8] { table.setIdle(key, false) }
        #expect(table.open(12, user: carol) == .acceptedInPlace(of: 9))
        #expect(table.count == 10)
    }

    @Test func `another user displaces no connection of root within the reserve`() {
        var table = table()
        for key in 1...2 { _ = table.open(key, user: 0) }
        for key in 3...6 { _ = table.open(key, user: alice) }
        for key in 7...10 { _ = table.open(key, user: bob) }
        for key in 3...10 { table.setIdle(key, false) }
        #expect(table.open(11, user: carol) == .refused)
        #expect(table.count == 10)
    }

    @Test func `a closed connection counts no longer, and closing it again changes nothing`() {
        var table = table()
        for key in 1...4 { _ = table.open(key, user: alice) }
        table.close(3)
        table.close(3)
        table.setIdle(3, false)
        #expect(table.count == 3)
        #expect(table.open(5, user: alice) == .accepted)
        #expect(table.open(6, user: alice) == .acceptedInPlace(of: 1))
    }
}

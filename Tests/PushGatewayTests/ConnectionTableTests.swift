// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import StatementTraits
import Testing

@testable import PushGateway

@Suite("A connection without an authenticated request takes no place that a new client needs", .proves("C22"))
struct ConnectionTableTests {
    private final class Table {
        private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var table = ConnectionTable(4, strangerTimeout: .seconds(5))

        func open(after seconds: Int64 = 0) -> ConnectionTable.Opening { table.open(at: start + .seconds(seconds)) }

        func keys(_ count: Int64) throws -> [ConnectionTable.Key] {
            try (0..<count).map { second in
                let opening = open(after: second)
                return try #require(opening.key)
            }
        }
    }

    private let connections = Table()

    @Test func `the oldest stranger makes room for a new connection at the limit`() throws {
        let keys = try connections.keys(4)
        let fifth = connections.open(after: 4)
        #expect(fifth.closing == [keys[0]] && fifth.key != nil && connections.table.count == 4)
        #expect(connections.open(after: 4).closing == [keys[1]])
    }

    @Test func `a sender keeps its connection, and a gateway full of senders refuses new connections`() throws {
        let keys = try connections.keys(4)
        for key in keys.dropLast() { connections.table.noteSender(key) }
        let fifth = connections.open(after: 4)
        #expect(fifth.closing == [keys[3]])
        connections.table.noteSender(try #require(fifth.key))
        #expect(connections.open(after: 60) == ConnectionTable.Opening(key: nil, closing: []))
        connections.table.close(keys[0])
        #expect(connections.open(after: 60).key != nil)
    }

    @Test func `strangers keep their connections for five seconds when three quarters are taken`() throws {
        let keys = try connections.keys(3)
        connections.table.noteSender(keys[0])
        #expect(connections.open(after: 5).closing.isEmpty)
        #expect(connections.open(after: 6).closing == [keys[1]])
        #expect(connections.table.count == 4)
    }

    @Test func `strangers keep their connections while places are free`() throws {
        _ = try connections.keys(2)
        #expect(connections.open(after: 3600).closing.isEmpty && connections.table.count == 3)
    }

    @Test func `a note about a closed connection has no effect`() throws {
        let key = try #require(try connections.keys(1).first)
        connections.table.close(key)
        connections.table.noteSender(key)
        #expect(connections.table.count == 0)
    }
}

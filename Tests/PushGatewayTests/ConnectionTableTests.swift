// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import StatementTraits
import Testing

@testable import PushGateway

@Suite("A gateway closes unprotected connections for new ones, first of the network with the most", .proves("C22"))
struct ConnectionTableTests {
    private final class Table {
        private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        var table: ConnectionTable

        init(_ most: Int) { table = ConnectionTable(most, scarceTimeout: .seconds(5)) }

        func open(after seconds: Int64 = 0, from address: String = "192.0.2.1") throws -> ConnectionTable.Opening {
            let peer = try PeerNetwork(SocketAddress(ipAddress: address, port: 5000))
            return table.open(from: peer, at: start + .seconds(seconds))
        }

        func keys(_ count: Int64, from address: String = "192.0.2.1") throws -> [ConnectionTable.Key] {
            try (0..<count).map { try #require(try open(after: $0, from: address).key) }
        }
    }

    private let connections = Table(4)

    @Test func `the oldest unauthenticated connection closes for a new one at the limit`() throws {
        let keys = try connections.keys(4)
        let fifth = try connections.open(after: 4)
        #expect(fifth.closing == [keys[0]] && fifth.key != nil && connections.table.count == 4)
        #expect(try connections.open(after: 4).closing == [keys[1]])
    }

    @Test func `the one connection of a sender stays, and a new one is refused when all are protected`() throws {
        let keys = try connections.keys(4)
        for (index, key) in keys.dropLast().enumerated() { connections.table.noteSender(key, "key \(index)") }
        let fifth = try connections.open(after: 4)
        #expect(fifth.closing == [keys[3]])
        connections.table.noteSender(try #require(fifth.key), "key 3")
        #expect(try connections.open(after: 60) == ConnectionTable.Opening(key: nil, closing: []))
        connections.table.close(keys[0])
        #expect(try connections.open(after: 60).key != nil)
    }

    @Test func `a sender with all connections excludes no other, and its newest quarter is protected`() throws {
        let connections = Table(8)
        let keys = try (0..<Int64(8)).map { second in
            let key = try #require(try connections.open(after: second).key)
            connections.table.noteSender(key, "key A")
            return key
        }
        for (index, key) in keys.prefix(6).enumerated() {
            let other = try connections.open(after: 60)
            #expect(other.closing == [key])
            connections.table.noteSender(try #require(other.key), "webhook \(index)")
        }
        #expect(try connections.open(after: 60).key == nil)
    }

    @Test func `a protected connection that closes protects an older one of its sender`() throws {
        let connections = Table(8)
        let keys = try connections.keys(8)
        for key in keys { connections.table.noteSender(key, "key A") }
        connections.table.close(keys[7])
        for number in 0..<6 {
            let key = try #require(try connections.open(after: 60).key)
            connections.table.noteSender(key, "key \(number)")
        }
        #expect(try connections.open(after: 60).key == nil)
    }

    @Test func `a flood from one network closes its own connections, and not an older one of another network`() throws {
        let honest = try #require(try connections.open(from: "198.51.100.1").key)
        let flood = try connections.keys(3, from: "2001:db8::1")
        let next = try connections.open(after: 3, from: "2001:db8::2")
        #expect(next.closing == [flood[0]])
        #expect(try connections.open(after: 3, from: "2001:db8:0:0:1::").closing == [flood[1]])
        connections.table.noteSender(honest, "key A")
        #expect(connections.table.count == 4)
    }

    @Test func `addresses of one IPv6 network are equal, and IPv4 addresses differ in both forms`() throws {
        func peer(_ address: String) throws -> PeerNetwork {
            try PeerNetwork(SocketAddress(ipAddress: address, port: 5000))
        }
        #expect(try peer("2001:db8::1") == peer("2001:db8::2:1"))
        #expect(try peer("2001:db8::1") != peer("2001:db8:0:1::1"))
        #expect(try peer("192.0.2.1") != peer("192.0.2.2"))
        #expect(try peer("::ffff:192.0.2.1") != peer("::ffff:192.0.2.2"))
    }

    @Test func `unauthenticated connections stay for five seconds when three quarters are taken`() throws {
        let keys = try connections.keys(3)
        connections.table.noteSender(keys[0], "key A")
        #expect(try connections.open(after: 5).closing.isEmpty)
        #expect(try connections.open(after: 6).closing == [keys[1]])
        #expect(connections.table.count == 4)
    }

    @Test func `unauthenticated connections stay while fewer than three quarters are taken`() throws {
        _ = try connections.keys(2)
        #expect(try connections.open(after: 3600).closing.isEmpty && connections.table.count == 3)
    }

    @Test func `a note about a closed connection has no effect`() throws {
        let key = try #require(try connections.keys(1).first)
        connections.table.close(key)
        connections.table.noteSender(key, "key A")
        #expect(connections.table.count == 0)
    }
}

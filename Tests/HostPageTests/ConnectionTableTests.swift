// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import HostPage

@Suite("Connections without the token take no capacity from the browser of the user")
struct ConnectionTableTests {
    @Test func `a new connection at the limit closes the oldest one without the token`() {
        var table = ConnectionTable(2)
        #expect(table.open() == .init(number: 1, closing: nil))
        table.noteToken(1)
        #expect(table.open() == .init(number: 2, closing: nil))
        #expect(table.open() == .init(number: 3, closing: 2))
        #expect(table.open() == .init(number: 4, closing: 3))
    }

    @Test func `a new connection is refused while all others have the token`() {
        var table = ConnectionTable(1)
        #expect(table.open()?.number == 1)
        table.noteToken(1)
        #expect(table.open() == nil)
        table.close(1)
        #expect(table.open() == .init(number: 2, closing: nil))
    }

    @Test func `a token on a connection that was closed for another one takes no capacity`() {
        var table = ConnectionTable(1)
        #expect(table.open()?.number == 1)
        #expect(table.open() == .init(number: 2, closing: 1))
        table.noteToken(1)
        #expect(table.open() == .init(number: 3, closing: 2))
    }

    @Test func `300 silent connections leave capacity for a connection with the token`() {
        var table = ConnectionTable(128)
        for _ in 0..<300 { #expect(table.open() != nil) }
        let own = table.open()?.number ?? 0
        table.noteToken(own)
        for _ in 0..<300 { #expect(table.open()?.closing != own) }
    }
}

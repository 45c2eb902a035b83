// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import HostPage

@Suite("Each open connection of the page is served")
struct OpenConnectionTests {
    /// Starts a connection that lasts until it is closed or cancelled. Returns its number after its task has begun.
    private func start(in open: OpenConnections, hasToken: Bool = false) async -> Int? {
        let (lasting, ending) = AsyncStream<Void>.makeStream()
        guard let number = open.add(close: { ending.finish() }) else { return nil }
        await withCheckedContinuation { continuation in
            open.start(number) { noteToken in
                if hasToken { noteToken() }
                continuation.resume()
                for await _ in lasting {}
            }
        }
        return number
    }

    @Test func `a connection at the limit closes the oldest one without the token`() async throws {
        let open = OpenConnections(1)
        let (closed, closing) = AsyncStream<Void>.makeStream()
        let added = open.add(close: { closing.finish() })
        let number = try #require(added)
        #expect(await start(in: open) == number + 1)
        for await _ in closed {}
        open.remove(number)
        await open.end()
    }

    @Test func `a connection above the limit is not served while all others have the token`() async {
        let open = OpenConnections(1)
        #expect(await start(in: open, hasToken: true) != nil)
        #expect(await start(in: open) == nil)
        await open.end()
    }

    @Test func `a connection that is accepted while the server ends is served`() async {
        let open = OpenConnections(1)
        await open.end()
        #expect(await start(in: open) != nil)
    }

    @Test func `the end of the server ends the connections in progress`() async {
        let open = OpenConnections(2)
        #expect(await start(in: open) != nil)
        await open.end()
        #expect(await start(in: open, hasToken: true) != nil)
    }
}

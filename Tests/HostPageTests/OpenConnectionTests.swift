// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import HostPage

@Suite("Each accepted connection of the page is served")
struct OpenConnectionTests {
    private func start(in open: OpenConnections, until end: AsyncStream<Void>? = nil) async -> Bool {
        await withCheckedContinuation { continuation in
            open.start { isOneTooMany in
                continuation.resume(returning: isOneTooMany)
                if let end { for await _ in end {} }
            }
        }
    }

    @Test func `a connection beyond the limit is served as one too many`() async {
        let (open, (end, ending)) = (OpenConnections(1), AsyncStream<Void>.makeStream())
        #expect(await !start(in: open, until: end))
        #expect(await start(in: open))
        ending.finish()
        await open.end()
    }

    @Test func `a connection that is accepted while the server ends is served`() async {
        let open = OpenConnections(1)
        await open.end()
        #expect(await !start(in: open))
    }

    @Test func `the end of the server ends the connections in progress`() async {
        let (open, (end, ending)) = (OpenConnections(2), AsyncStream<Void>.makeStream())
        #expect(await !start(in: open, until: end))
        await open.end()
        ending.finish()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import HostTestKit
import Testing

@testable import HostMonitor

@Suite("A caught signal is received")
struct CaughtSignalTests {
    @Test func `a signal that is sent right after its handler is set is received, in each of 200 attempts`()
        async throws
    {
        for _ in 1...200 {
            let (signals, teller) = AsyncStream.makeStream(of: Void.self)
            let caught = CaughtSignal(SIGWINCH) { teller.yield() }
            defer { caught.cancel() }
            kill(getpid(), SIGWINCH)
            let received: Void? = try await withDeadline(waitingFor: "the signal") {
                for await _ in signals { return () }
                return nil
            }
            #expect(received != nil)
        }
    }
}

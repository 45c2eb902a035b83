// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import Testing

@testable import HostPage

@Suite("The end of a connection ends its present answer")
struct PresentAnswerTests {
    /// Work that lasts until its Swift task is cancelled, as a call of a host that hangs.
    private struct Hanging: Sendable {
        private let begin = AsyncStream<Void>.makeStream()
        private let end = AsyncStream<Void>.makeStream()

        func callAsFunction() async throws {
            begin.continuation.finish()
            for await _ in end.stream {}
            try Task.checkCancellation()
        }

        /// Returns when the work has begun.
        func hasBegun() async { for await _ in begin.stream {} }
    }

    @Test func `the result of the work is that of the answer`() async throws {
        struct Broken: Error {}
        let present = PresentAnswer()
        let count = Mutex(0)
        try await present.run { count.withLock { $0 += 1 } }
        #expect(count.withLock(\.self) == 1)
        await #expect(throws: Broken.self) { try await present.run { throw Broken() } }
    }

    @Test func `the end of the connection cancels an answer that would never end`() async {
        let (present, work) = (PresentAnswer(), Hanging())
        let answer = Task { try await present.run { try await work() } }
        await work.hasBegun()
        present.connectionClosed()
        await #expect(throws: CancellationError.self) { try await answer.value }
    }

    @Test func `an answer that begins after the end of the connection is cancelled at once`() async {
        let (present, work) = (PresentAnswer(), Hanging())
        present.connectionClosed()
        await #expect(throws: CancellationError.self) { try await present.run { try await work() } }
    }

    @Test func `the end of the server cancels an answer`() async {
        let (present, work) = (PresentAnswer(), Hanging())
        let serving = Task { try await present.run { try await work() } }
        await work.hasBegun()
        serving.cancel()
        await #expect(throws: CancellationError.self) { try await serving.value }
    }
}

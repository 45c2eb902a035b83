// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import Synchronization
import TaskModel
import Testing

@testable import PushGateway

@Suite("A repeated push with the identifier of an accepted one is no second push", .proves("C22"))
struct RecentPushTests {
    private let recent = RecentPushes()
    private let counter = Counter()

    /// The number of pushes that reached the host.
    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock(\.self) }
        func add() { value.withLock { $0 += 1 } }
    }

    private func key(
        _ last: String = "a",
        _ changes: [String: String] = [:],
        sender: String = "S",
        body: String = "{}"
    ) throws -> RecentPushes.Key {
        let id = ["apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7\(last)"]
        let push = try APNsRequest(try Samples.request(id.merging(changes) { $1 }))
        return try #require(RecentPushes.Key(push, body: Array(body.utf8), sender: sender))
    }

    private func push(
        _ key: RecentPushes.Key,
        after time: Duration = .zero,
        _ verdict: PushVerdict = .accepted
    ) async -> PushVerdict {
        await recent.once(key, at: Samples.start + time) {
            counter.add()
            return verdict
        }
    }

    @Test func `a repetition within ten minutes gets the first answer`() async throws {
        #expect(await push(try key("A")) == .accepted)
        #expect(await push(try key("a"), after: .seconds(600), .failed) == .accepted)
        #expect(counter.count == 1)
    }

    @Test func `another identifier, another sender, and a repetition after ten minutes are new pushes`() async throws {
        for key in [try key(), try key("b"), try key(sender: "T")] { #expect(await push(key) == .accepted) }
        #expect(await push(try key(), after: .seconds(601)) == .accepted)
        #expect(counter.count == 4)
    }

    @Test func `a push with the same identifier and another content is a new push`() async throws {
        let keys = [
            try key(), try key(body: "{ }"), try key("a", ["apns-priority": "1"]),
            try key("a", ["apns-expiration": "0"]),
        ]
        for key in keys { #expect(await push(key) == .accepted) }
        #expect(counter.count == 4)
        #expect(await push(try key("a", ["apns-expiration": "1800000060"])) == .accepted)
        #expect(counter.count == 4)
    }

    @Test func `a repetition of a refused push is a new attempt`() async throws {
        #expect(await push(try key(), .unavailable) == .unavailable)
        #expect(await push(try key()) == .accepted)
        #expect(counter.count == 2)
    }

    @Test func `a repetition during the first push waits for its answer`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let (recent, key) = (recent, try key())
        let first = Task {
            await recent.once(key, at: Samples.start) {
                start.finish()
                for await _ in ended {}
                return .accepted
            }
        }
        for await _ in started {}
        let second = Task { await recent.once(key, at: Samples.start) { .failed } }
        while recent.waitingRepetitions == 0 { await Task.yield() }
        end.finish()
        let verdicts = [await first.value, await second.value]
        #expect(verdicts == [.accepted, .accepted])
    }
}

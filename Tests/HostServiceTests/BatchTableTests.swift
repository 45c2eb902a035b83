// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Testing

@testable import HostService

@Suite("A user has a limited number of batches in progress")
struct BatchTableTests {
    private let alice: UInt32 = 1_001
    private let bob: UInt32 = 1_002

    /// Runs `body` within `count` batches of a user.
    private func holding(
        _ count: Int,
        of user: UInt32,
        in table: BatchTable,
        _ body: () async throws -> Void
    ) async throws {
        if count == 0 { return try await body() }
        try await table.admit(.taskSubmitBatch, of: user) {
            try await holding(count - 1, of: user, in: table, body)
        }
    }

    private func refusal(of route: Route, by user: UInt32, _ table: BatchTable) async -> RouteError? {
        do {
            try await table.admit(route, of: user) {}
            return nil
        } catch {
            return error as? RouteError
        }
    }

    @Test func `a user's fifth batch in progress is refused with 503, and batches of other users are not`() async throws
    {
        let table = BatchTable()
        try await holding(BatchTable.mostPerUser, of: alice, in: table) {
            let refusal = try #require(await refusal(of: .taskSubmitBatch, by: alice, table))
            #expect(refusal.status == 503 && refusal.reply.error.subReason == "too-many-batches")
            #expect(refusal.reply.error.message.contains("4 batches"))
            #expect(await self.refusal(of: .taskSubmitBatch, by: bob, table) == nil)
        }
    }

    @Test func `the limit of batches concerns no other route`() async throws {
        let table = BatchTable()
        try await holding(BatchTable.mostPerUser, of: alice, in: table) {
            for route in Route.allCases where route != .taskSubmitBatch {
                #expect(await refusal(of: route, by: alice, table) == nil)
            }
        }
    }

    @Test func `a batch that has ended, with an answer or an error, frees its place`() async throws {
        struct Failure: Error {}
        let table = BatchTable()
        for _ in 1...2 * BatchTable.mostPerUser {
            try await table.admit(.taskSubmitBatch, of: alice) {}
            await #expect(throws: Failure.self) {
                try await table.admit(.taskSubmitBatch, of: alice) { throw Failure() }
            }
        }
        #expect(await refusal(of: .taskSubmitBatch, by: alice, table) == nil)
    }
}

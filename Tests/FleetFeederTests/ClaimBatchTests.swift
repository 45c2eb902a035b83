// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Fleet
import Foundation
import TaskModel
import Testing

@testable import FleetFeeder

@Suite("A feeder divides its items by the size of a body, and the refusal of a batch is one of each item")
struct ClaimBatchTests {
    private static let largest = Route.taskSubmitBatch.maximumBody

    private func item(_ number: Int64, payload: Int = 0) throws -> FleetItem {
        FleetItem(
            claim: Claim(item: number, fence: 1, isBound: false),
            plugin: try #require(PluginIdentifier("com.example.p")),
            request: TaskRequest(
                identifier: try #require(TaskIdentifier("com.example.p.clean\(number)")),
                kind: .processing
            ),
            payload: payload == 0 ? nil : [UInt8](repeating: 7, count: payload)
        )
    }

    @Test func `a hundred items with the largest payload are divided in order, each body within the limit`() throws {
        let items = try (1...100).map { try item($0, payload: 65_536) }
        let batches = try ClaimBatch.divided(items, lease: "fleet")
        #expect(batches.flatMap(\.items) == items)
        #expect(batches.count == 5 && batches.compactMap(\.body).count == 5)
        for batch in batches {
            let body = try #require(batch.body)
            #expect(body.count <= Self.largest)
            let read = try TaskBatch.reading(body)
            #expect(read.lease == "fleet" && read.requests.count == batch.items.count)
            let claims = try read.validated().compactMap { try $0.get().request.claim?.claim }
            #expect(claims == batch.items.map(\.claim))
        }
    }

    @Test func `small items go in one batch`() throws {
        let items = try (1...100).map { try item($0) }
        #expect(try ClaimBatch.divided(items, lease: "fleet").map(\.items) == [items])
        #expect(try ClaimBatch.divided([], lease: "fleet").isEmpty)
    }

    @Test func `an item that is too large for a body is sent in none, and the others go on`() throws {
        let items = [try item(1), try item(2, payload: Self.largest), try item(3)]
        let batches = try ClaimBatch.divided(items, lease: "fleet")
        #expect(batches.map { $0.items.map(\.claim.item) } == [[1], [2], [3]])
        #expect(batches.map { $0.body == nil } == [false, true, false])
    }

    @Test func `the refusal of a batch is one of each item, passing for a lease that is not trusted`() throws {
        let untrusted = RouteError(.leaseNotTrusted, "the lease is not trusted")
        #expect(
            try FeederHost.refusal(of: 409, WireCoding.encode(untrusted.reply))
                == .refused(reason: "lease-not-trusted", isPassing: true)
        )
        let large = RouteError(.bodyTooLarge, "the body is too large")
        #expect(
            try FeederHost.refusal(of: 400, WireCoding.encode(large.reply))
                == .refused(reason: "body-too-large", isPassing: false)
        )
    }

    @Test func `an answer without the host's error, and an error of the host itself, refuse no item`() throws {
        #expect(FeederHost.refusal(of: 404, Data("not found".utf8)) == nil)
        let failed = RouteError(.unexpected, "it failed")
        #expect(try FeederHost.refusal(of: 500, WireCoding.encode(failed.reply)) == nil)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import ControlAPI

@Suite("Each request of a batch is read on its own")
struct TaskBatchTests {
    private static let valid = #"{"identifier": "a.b", "kind": "refresh"}"#

    private func read(_ requests: [String]) throws -> TaskBatch {
        try TaskBatch.reading(Data(#"{"requests": [\#(requests.joined(separator: ", "))]}"#.utf8))
    }

    @Test func `the valid requests of a batch keep their order and fields, whatever the other entries are`() throws {
        let batch = try read([
            #"{"identifier": "a.one", "kind": "refresh", "payload": "AP8K"}"#, "7",
            #"{"identifier": "a.two", "kind": "processing", "requires_network": true}"#,
        ])
        let results = batch.validated()
        #expect(results.count == 3)
        let (first, last) = (try results[0].get(), try results[2].get())
        #expect(first.request == TaskRequest(identifier: try Samples.task("a.one"), kind: .refresh))
        #expect(first.payload == [0, 255, 10])
        let network = TaskRequest(identifier: try Samples.task("a.two"), kind: .processing, requiresNetwork: true)
        #expect(last.request == network && last.payload.isEmpty)
    }

    @Test(arguments: [
        ("7", "field-type", "requests[1]"), ("[]", "field-type", "requests[1]"), ("null", "field-type", "requests[1]"),
        (#"{"kind": "refresh"}"#, "field-missing", "requests[1].identifier"),
        (#"{"identifier": "a.b", "kind": "refresh", "x": 1}"#, "field-unknown", "requests[1].x"),
        (#"{"identifier": "a.b", "kind": "refresh", "title": null}"#, "field-null", "requests[1].title"),
        (#"{"identifier": "a.b", "kind": 7}"#, "field-type", "requests[1].kind"),
        (#"{"identifier": "a.b", "kind": "x"}"#, "kind-unknown", "requests[1].kind"),
        (#"{"identifier": "no..dot", "kind": "refresh"}"#, "identifier-invalid", "requests[1].identifier"),
        (#"{"identifier": "a.b", "kind": "refresh", "title": "x"}"#, "field-not-of-kind", "requests[1].title"),
        (#"{"identifier": "a.b", "kind": "refresh", "payload": "%"}"#, "base64-invalid", "requests[1].payload"),
        (
            #"{"identifier": "a.b", "kind": "refresh", "\u006bind": "processing"}"#, "field-repeated",
            "requests[1].kind"
        ),
    ])
    func `an invalid request in a batch has its own refusal with its index, and the other requests have none`(
        entry: String,
        subReason: String,
        field: String
    ) throws {
        let results = try read([Self.valid, entry, Self.valid]).validated()
        let refusal = try #require(throws: RouteError.self) { try results[1].get() }
        #expect(refusal.status == 400 && refusal.reply.error.code == "malformed")
        #expect(refusal.reply.error.subReason == subReason && refusal.reply.error.field == field)
        #expect(refusal.reply.error.remedy?.isEmpty == false)
        for index in [0, 2] { #expect(throws: Never.self) { try results[index].get() } }
    }

    @Test(arguments: [0, 1_001])
    func `a batch of 0 or of 1,001 requests is refused as a whole`(count: Int) throws {
        let refusal = try #require(throws: RouteError.self) {
            try read(Array(repeating: Self.valid, count: count))
        }
        #expect(refusal.status == 400 && refusal.reply.error.subReason == "request-count")
        #expect(refusal.reply.error.field == "requests" && refusal.reply.error.message.contains("1 to 1000 "))
    }

    @Test func `a batch of 1,001 requests is refused before its body is parsed`() throws {
        let body = #"{"requests": ["# + String(repeating: #""],", "#, count: 1_001)
        let refusal = try #require(throws: RouteError.self) { try TaskBatch.reading(Data(body.utf8)) }
        #expect(refusal.reply.error.subReason == "request-count")
        #expect(refusal.reply.error.message.contains("has 1002 entries"))
    }

    @Test(arguments: [
        (#"{"requests": []}"#, 0), (#"{"requests": [1, 2, 3]}"#, 3), (#"{"a": [1, 2], "requests": [1, 2, 3]}"#, 3),
        (#"{"requests": [[1, 2, 3], {"a": 1, "b": 2}]}"#, 2), (#"{"requests": {"a": 1, "b": 2}}"#, 0),
        (#"{"requests": ["],[,\"],", "\\", ","]}"#, 3), (#"[1, 2]"#, 0), ("", 0), ("]]],,,", 0),
    ])
    func `the scan of a body counts the longest list directly in its outermost object, whatever its strings contain`(
        body: String,
        count: Int
    ) {
        #expect(ListScan.longestMember(of: Data(body.utf8)) == count)
    }

    private static let claimed =
        #"{"identifier": "a.b", "kind": "refresh", "claim": {"item": 71, "fence": 3, "bound": false}}"#

    @Test func `the requests of a batch with a lease may have a claim under it`() throws {
        let body = #"{"lease": "fleet", "requests": [\#(Self.claimed), \#(Self.valid)]}"#
        let requests = try TaskBatch.reading(Data(body.utf8)).validated().map { try $0.get().request }
        let claim = LeasedClaim(Claim(item: 71, fence: 3, isBound: false), under: "fleet")
        #expect(requests.map(\.claim) == [claim, nil])
    }

    @Test(arguments: [
        (claimed, nil, "field-missing", "requests[0].claim"),
        (claimed.replacing("71", with: "0"), "fleet", "number-invalid", "requests[0].claim.item"),
        (claimed.replacing("3", with: "-3"), "fleet", "number-invalid", "requests[0].claim.fence"),
        (claimed.replacing("false", with: "0"), "fleet", "field-type", "requests[0].claim.bound"),
    ])
    func `a claim without a lease, or with an invalid number, is refused with its index`(
        request: String,
        lease: String?,
        subReason: String,
        field: String
    ) throws {
        let member = lease.map { #""lease": "\#($0)", "# } ?? ""
        let batch = try TaskBatch.reading(Data(#"{\#(member)"requests": [\#(request)]}"#.utf8))
        let refusal = try #require(throws: RouteError.self) { try batch.validated()[0].get() }
        #expect(refusal.reply.error.subReason == subReason && refusal.reply.error.field == field)
    }

    @Test func `a batch with an invalid name of a lease is refused as a whole`() throws {
        let body = Data(#"{"lease": "My Fleet", "requests": [\#(Self.claimed)]}"#.utf8)
        let refusal = try #require(throws: RouteError.self) { try TaskBatch.reading(body) }
        #expect(refusal.reply.error.subReason == "identifier-invalid" && refusal.reply.error.field == "lease")
    }

    @Test func `a batch of 1,000 requests is read`() throws {
        #expect(try read(Array(repeating: Self.valid, count: 1_000)).validated().count == 1_000)
    }

    @Test(arguments: [
        ("", "body-missing", nil), ("[]", "body-not-object", nil), (#"{"requests": [{]}"#, "body-not-json", nil),
        ("{}", "field-missing", "requests"), (#"{"requests": {}}"#, "field-type", "requests"),
        (#"{"requests": [1], "request": 1}"#, "field-unknown", "request"),
        (#"{"requests": [1], "requests": [1]}"#, "field-repeated", "requests"),
    ])
    func `a malformed body of a batch is refused as a whole`(body: String, subReason: String, field: String?) throws {
        let refusal = try #require(throws: RouteError.self) { try TaskBatch.reading(Data(body.utf8)) }
        #expect(refusal.status == 400 && refusal.reply.error.subReason == subReason)
        #expect(refusal.reply.error.field == field)
    }
}

@Suite("A client builds batches within the limits of the host")
struct TaskBatchTextTests {
    @Test func `the text of a batch is a body with its requests in order`() throws {
        var text = TaskBatchText()
        for name in ["a.one", "a.two"] {
            let isAdded = text.add(Data(#"{"identifier": "\#(name)", "kind": "refresh"}"#.utf8))
            #expect(isAdded)
        }
        let requests = try TaskBatch.reading(text.body).validated().map { try $0.get().request.identifier.text }
        #expect(text.count == 2 && requests == ["a.one", "a.two"])
    }

    @Test func `the text of a batch takes no request beyond the 1,000th`() {
        var text = TaskBatchText()
        let added = (1...1_001).map { _ in text.add(Data("{}".utf8)) }
        #expect(added == Array(repeating: true, count: 1_000) + [false] && text.count == 1_000)
    }

    @Test func `the text of a batch takes requests up to the maximum size of a body, and none beyond it`() {
        var full = TaskBatchText()
        let isAdded = full.add(Data(repeating: UInt8(ascii: " "), count: TaskBatchText.largestRequest))
        #expect(isAdded && full.body.count == Route.taskSubmitBatch.maximumBody)
        let size = full.body.count
        let isAddedToo = full.add(Data("{}".utf8))
        #expect(!isAddedToo && full.body.count == size)
    }
}

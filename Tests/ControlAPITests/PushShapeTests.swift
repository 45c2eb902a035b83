// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("JSON bodies about pushes and device tokens keep the shape that clients depend on")
struct PushShapeTests: WireShapeSuite {
    let document: APIDocument

    init() throws { document = try APIDocument() }

    @Test func `the JSON of a push and its reply keeps its shape`() throws {
        let deadline = Samples.now + .seconds(720)
        try check(
            PluginPush(payload: [0, 255, 10], expiresAt: deadline, priority: .low),
            "PluginPush",
            is: #"{"payload": "AP8K", "expires_at": "2026-01-31T02:00:00Z", "priority": "low"}"#
        )
        try check(PluginPush(), "PluginPush", is: "{}")
        let digits = String(repeating: "a5", count: 32)
        try check(
            PluginPush(
                token: try Samples.pushToken().token,
                onlyNow: true,
                id: UUID(uuidString: "EABEAE54-14A8-11E5-B60B-1697F925EC7B")
            ).sent(by: "key ABC123DEFG"),
            "PluginPush",
            is: """
                {"token": "\(digits)", "only_now": true, "id": "eabeae54-14a8-11e5-b60b-1697f925ec7b",
                 "sender": "key ABC123DEFG"}
                """
        )
        try check(
            PluginPushReply(
                SubmissionNumber(rawValue: 15),
                plugin: try Samples.plugin(),
                state: .stored,
                replacing: SubmissionNumber(rawValue: 14),
                expiresAt: deadline
            ),
            "PluginPushReply",
            is: """
                {"plugin": "com.example.feed", "submission": 15, "state": "stored", "replaced": 14,
                 "expires_at": "2026-01-31T02:00:00Z", "expires_at_ns": "1769824800000000000"}
                """
        )
        try check(
            PluginPushReply(
                SubmissionNumber(rawValue: 15),
                plugin: try Samples.plugin(),
                state: .replaced,
                successor: SubmissionNumber(rawValue: 16)
            ),
            "PluginPushReply",
            is: #"{"plugin": "com.example.feed", "submission": 15, "state": "replaced", "successor": 16}"#
        )
    }

    @Test(arguments: ["", String(repeating: "a", count: 65), "ü", "a\nb"])
    func `a sender of a push has 1 to 64 plain characters`(sender: String) throws {
        #expect(try PluginPush().sent(by: "key A").validated().sender == "key A")
        #expect(try PluginPush().validated().sender.isEmpty)
        #expect(throws: RouteError.self) { try PluginPush().sent(by: sender).validated() }
    }

    @Test func `the JSON of a push with an ended device token has the time of the end`() throws {
        try check(
            ErrorReply(code: "gone", subReason: "push-token-ended", message: "m", endedAt: Samples.now),
            "Error",
            is: """
                {"error": {"code": "gone", "sub_reason": "push-token-ended", "message": "m",
                           "ended_at": "2026-01-31T01:48:00Z", "ended_at_ns": "1769824080000000000"}}
                """
        )
    }

    @Test func `the JSON of device tokens keeps its shape`() throws {
        let digits = String(repeating: "a5", count: 32)
        try check(PushTokenOrder(), "PushTokenOrder", is: "{}")
        try check(PushTokenOrder(rotating: true), "PushTokenOrder", is: #"{"rotate": true}"#)
        try check(
            PushTokenReply(try Samples.pushToken()),
            "PushTokenReply",
            is: """
                {"plugin": "com.example.feed", "token": "\(digits)", "issued_at": "2026-01-31T01:48:00Z",
                 "issued_at_ns": "1769824080000000000"}
                """
        )
        try check(
            PushTokenRevocationReply(try Samples.plugin(), isRevoked: true),
            "PushTokenRevocationReply",
            is: #"{"plugin": "com.example.feed", "revoked": true}"#
        )
        try check(PushTokenCheck(token: digits), "PushTokenCheck", is: "{\"token\": \"\(digits)\"}")
        try check(PushTokenCheckReply(.unknown), "PushTokenCheckReply", is: #"{"state": "unknown"}"#)
        try check(
            PushTokenCheckReply(.ended(try Samples.plugin(), at: Samples.now)),
            "PushTokenCheckReply",
            is: """
                {"state": "ended", "plugin": "com.example.feed", "ended_at": "2026-01-31T01:48:00Z",
                 "ended_at_ns": "1769824080000000000"}
                """
        )
    }

    @Test func `the device token of another plugin has one refusal, ended or not`() throws {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let other = try #require(PluginIdentifier("com.example.other"))
        let reasons = [
            PushTokenState.valid(other), .ended(other, at: Samples.now), .ended(plugin, at: Samples.now), .unknown,
        ].map { RouteError.refusal(of: $0, for: plugin)?.reply.error }
        #expect(
            reasons.map { $0?.subReason } == [
                "push-token-of-another-plugin", "push-token-of-another-plugin", "push-token-ended",
                "push-token-unknown",
            ]
        )
        #expect(reasons[1]?.endedAt == nil && reasons[0] == reasons[1])
        #expect(RouteError.refusal(of: .valid(plugin), for: plugin) == nil)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("Each answer of the host has one answer of Apple's protocol, with a reason of Apple's", .proves("C22"))
struct PushVerdictTests {
    private static func refused(_ subReason: String, endedAt: WallTime? = nil) -> ControlError {
        .refused(status: 400, ErrorReply(code: "c", subReason: subReason, message: "m", endedAt: endedAt))
    }

    @Test(arguments: [
        ("push-token-unknown", PushVerdict.tokenUnknown), ("push-token-of-another-plugin", .tokenOfAnotherPlugin),
        ("mode-remote-notification-missing", .notPermitted), ("plugin-disabled", .notPermitted),
        ("background-denied", .notPermitted), ("payload-too-large", .payloadTooLarge), ("alert-limit", .tooManyAlerts),
        ("body-too-large", .payloadTooLarge), ("no-such-plugin", .unavailable), ("plugin-missing", .unavailable),
        ("not-recorded", .unavailable), ("host-stopping", .unavailable), ("too-many-connections", .unavailable),
        ("ledger-unreadable", .unavailable), ("role-too-low", .failed), ("foreign-user", .failed),
        ("field-unknown", .failed), ("unexpected", .failed), ("a later sub-reason", .failed),
    ])
    func `a refusal of the host has its verdict`(subReason: String, verdict: PushVerdict) {
        #expect(PushVerdict(Self.refused(subReason)) == verdict)
    }

    @Test func `an ended device token has its time, in milliseconds in the answer`() {
        let end = WallTime(nanoseconds: 1_700_000_000_123_456_789)
        let verdict = PushVerdict(Self.refused("push-token-ended", endedAt: end))
        #expect(verdict == .tokenEnded(at: end))
        let answer = verdict.apns.http(id: "a")
        #expect(answer.status == 410)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
    }

    @Test func `a host that does not answer is unavailable, and an unknown answer a failure`() {
        #expect(PushVerdict(.unreachable(socket: "s", cause: .noAnswer)) == .unavailable)
        #expect(PushVerdict(.misunderstood(socket: "s", detail: "d")) == .failed)
    }

    @Test(arguments: [
        (PushVerdict.accepted, 200, "", 201), (.tokenUnknown, 400, "BadDeviceToken", 500),
        (.tokenOfAnotherPlugin, 400, "DeviceTokenNotForTopic", 500), (.notPermitted, 400, "TopicDisallowed", 403),
        (.payloadTooLarge, 413, "PayloadTooLarge", 413), (.tooManyAlerts, 429, "TooManyRequests", 429),
        (.unavailable, 503, "ServiceUnavailable", 503),
        (.failed, 500, "InternalServerError", 500),
    ])
    func `a verdict has its status and reason`(verdict: PushVerdict, status: Int, reason: String, webhook: Int) {
        let answer = verdict.apns.http(id: "an-id")
        #expect(answer.status == status && verdict.webhookStatus == webhook)
        #expect(answer.fields.first == .init("apns-id", "an-id"))
        #expect(answer.body.isEmpty == reason.isEmpty)
        #expect(reason.isEmpty || answer.body == Array("{\"reason\":\"\(reason)\"}".utf8))
    }

    @Test func `each reason has the status of Apple's service`() {
        let statuses = Dictionary(grouping: APNsReason.allCases, by: \.status).mapValues { Set($0.map(\.rawValue)) }
        #expect(
            statuses == [
                400: [
                    "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
                    "DeviceTokenNotForTopic", "DuplicateHeaders", "InvalidPushType", "MissingDeviceToken",
                    "MissingTopic", "PayloadEmpty", "TopicDisallowed",
                ],
                403: ["ExpiredProviderToken", "InvalidProviderToken", "MissingProviderToken"], 404: ["BadPath"],
                405: ["MethodNotAllowed"], 410: ["Unregistered"], 413: ["PayloadTooLarge"],
                429: ["TooManyProviderTokenUpdates", "TooManyRequests"], 500: ["InternalServerError"],
                503: ["ServiceUnavailable", "Shutdown"],
            ]
        )
    }
}

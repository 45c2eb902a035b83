// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("A push has the header fields of Apple's protocol, and a wrong one its reason", .proves(85, "C22"))
struct APNsRequestTests {
    @Test(arguments: [
        ("apns-id", "x", APNsReason.badMessageID), ("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7g", .badMessageID),
        ("apns-topic", "", .missingTopic), ("apns-topic", "no topic", .badTopic),
        ("apns-push-type", "alert", .payloadEmpty), ("apns-push-type", "voip", .topicDisallowed),
        ("apns-push-type", "telegram", .invalidPushType), ("apns-priority", "10", .badPriority),
        ("apns-priority", "6", .badPriority), ("apns-priority", "", .badPriority),
        ("apns-expiration", "tomorrow", .badExpirationDate), ("apns-expiration", "-1", .badExpirationDate),
        ("apns-expiration", "99999999999999999999", .badExpirationDate), ("apns-expiration", "", .badExpirationDate),
        ("apns-collapse-id", String(repeating: "a", count: 65), .badCollapseID),
        ("apns-collapse-id", "", .badCollapseID), ("apns-collapse-id", "a\u{7f}", .badCollapseID),
    ])
    func `an invalid header field is refused with its reason`(field: String, value: String, reason: APNsReason) throws {
        let request = try Samples.request([field: value])
        #expect(throws: reason) { try APNsRequest(request) }
    }

    @Test(arguments: [
        ("/3/device/", APNsReason.missingDeviceToken), ("/3/device/abcd", .badDeviceToken),
        ("/3/device/" + String(repeating: "z", count: 64), .badDeviceToken),
        ("/3/device/" + String(repeating: "a5", count: 32) + "/", .badDeviceToken),
    ])
    func `a missing or malformed device token is refused`(path: String, reason: APNsReason) throws {
        let request = try Samples.request(path: path)
        #expect(throws: reason) { try APNsRequest(request) }
    }

    @Test func `a push without a topic is refused`() throws {
        let request = try Samples.request(without: ["apns-topic"])
        #expect(throws: APNsReason.missingTopic) { try APNsRequest(request) }
    }

    @Test func `a repeated header field, an empty payload and a large payload are refused`() throws {
        let valid = try Samples.request()
        let repeated = GatewayRequest(
            method: valid.method,
            path: valid.path,
            fields: valid.fields + [.init("apns-topic", "com.example.other")],
            body: valid.body
        )
        #expect(throws: APNsReason.duplicateHeaders) { try APNsRequest(repeated) }
        let (empty, large) = (try Samples.request(body: ""), try Samples.request(isTooLarge: true))
        #expect(throws: APNsReason.payloadEmpty) { try APNsRequest(empty) }
        #expect(throws: APNsReason.payloadTooLarge) { try APNsRequest(large) }
    }

    @Test func `a push with a topic alone is a background push without a deadline`() throws {
        let request = try Samples.request(without: ["apns-id", "apns-push-type", "apns-priority"])
        let push = try APNsRequest(request)
        #expect(push.id == nil && !push.isLowPriority && push.expiration == .none)
        #expect(push.token.hexadecimal == Samples.deviceToken)
    }

    @Test func `priority 1 is low, and an expiration is a time or at once`() throws {
        let low = try APNsRequest(try Samples.request(["apns-priority": "1", "apns-expiration": "1800000060"]))
        #expect(low.isLowPriority && low.expiration == .at(Samples.now + .seconds(60)))
        let call = low.forHost(body: [1])
        #expect(call.priority == "low" && call.expiresAt?.time.wall == Samples.now + .seconds(60))
        #expect(call.token == Samples.deviceToken && call.onlyNow == nil)
        let now = try APNsRequest(try Samples.request(["apns-expiration": "0"])).forHost(body: [1])
        #expect(now.onlyNow == true && now.expiresAt == nil)
    }

    @Test func `an alert has the content of its payload, its collapse id as topic, and any priority of Apple`() throws {
        let body = #"{"aps": {"alert": {"title": "A", "body": "B"}, "mutable-content": 1}}"#
        for priority in ["10", "5", "1"] {
            let fields = ["apns-push-type": "alert", "apns-priority": priority, "apns-collapse-id": "albums"]
            let push = try APNsRequest(try Samples.request(fields, body: body))
            let call = push.forHost(body: Array(body.utf8))
            #expect(call.alert == "A" && call.body == "B" && call.topic == "albums" && call.mutable == true)
            #expect(call.payload.map { Array($0) } == Array(body.utf8) && call.token == Samples.deviceToken)
            #expect(call.priority == nil && call.expiresAt == nil && call.onlyNow == nil)
        }
        let background = try APNsRequest(try Samples.request(["apns-collapse-id": "albums"], body: body))
        #expect(background.alert == nil && background.forHost(body: [1]).alert == nil)
    }

    @Test func `a device token in upper case, and the longest collapse id are valid`() throws {
        let path = "/3/device/" + Samples.deviceToken.uppercased()
        let request = try Samples.request(["apns-collapse-id": String(repeating: "a", count: 64)], path: path)
        #expect(try APNsRequest(request).token.hexadecimal == Samples.deviceToken)
    }
}

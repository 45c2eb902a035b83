// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import TaskModel

/// A push of Apple's provider protocol whose path and header fields are valid. The sender is not checked yet.
package struct APNsRequest: Hashable, Sendable {
    /// When a push lapses.
    package enum Expiration: Hashable, Sendable {
        /// The push waits without a deadline.
        case none
        /// The push starts at once or lapses: `apns-expiration: 0`.
        case now
        case at(WallTime)
    }

    static let pathPrefix = "/3/device/"
    /// The push types of Apple's service. The gateway delivers background pushes and alerts only.
    private static let pushTypes: Set = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]
    /// The header fields that may be present once.
    private static let single = [
        "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
        "authorization",
    ]
    /// The latest expiration, in seconds since 1970: the end of the year 2261, near the last representable time.
    private static let latestExpiration: Int64 = 9_214_646_399

    package let token: PushToken
    package let topic: PluginIdentifier
    /// Whether the push waits for external power: `apns-priority: 1`.
    package let isLowPriority: Bool
    package let expiration: Expiration
    /// The identifier of the push, from `apns-id`; nil when the sender gave none.
    package let id: String?
    /// The alert of the push with its topic, from `apns-collapse-id`; nil for a background push.
    package let alert: Alert?

    /// An alert push: what its payload contains by Apple's rules.
    package struct Alert: Hashable, Sendable {
        let parsed: NotificationJSON.Alert
        let topic: NotificationTopic?
    }

    /// Reads the path and the header fields. Throws the reason of Apple's service for the first invalid part.
    package init(_ request: GatewayRequest) throws(APNsReason) {
        for name in Self.single where request.values(of: name).count > 1 { throw .duplicateHeaders }
        id = try request.values(of: "apns-id").first.map(Self.valid(id:))
        token = try Self.token(in: request.path)
        topic = try Self.topic(request.values(of: "apns-topic").first)
        let collapseID = try Self.collapseID(request.values(of: "apns-collapse-id").first)
        expiration = try Self.expiration(request.values(of: "apns-expiration").first)
        let isAlert = try Self.isAlert(pushType: request.values(of: "apns-push-type").first)
        isLowPriority = try Self.isLow(priority: request.values(of: "apns-priority").first, ofAlert: isAlert)
        if request.isTooLarge { throw .payloadTooLarge }
        if request.body.isEmpty { throw .payloadEmpty }
        guard isAlert else {
            alert = nil
            return
        }
        // Nothing could be shown without a text.
        guard let parsed = NotificationJSON.alert(inPayload: request.body) else { throw .payloadEmpty }
        alert = Alert(parsed: parsed, topic: collapseID)
    }

    private static func valid(id: String) throws(APNsReason) -> String {
        let digits = id.utf8.filter { $0 != UInt8(ascii: "-") }
        let lengths = id.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        let isHexadecimal = digits.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        }
        guard lengths == [8, 4, 4, 4, 12], isHexadecimal else { throw .badMessageID }
        return id
    }

    private static func token(in path: String) throws(APNsReason) -> PushToken {
        let text = path.dropFirst(pathPrefix.count)
        if text.isEmpty { throw .missingDeviceToken }
        guard let token = PushToken(hexadecimal: String(text)) else { throw .badDeviceToken }
        return token
    }

    private static func topic(_ text: String?) throws(APNsReason) -> PluginIdentifier {
        guard let text, !text.isEmpty else { throw .missingTopic }
        guard let topic = PluginIdentifier(text) else { throw .badTopic }
        return topic
    }

    private static func collapseID(_ text: String?) throws(APNsReason) -> NotificationTopic? {
        guard let text else { return nil }
        guard let topic = NotificationTopic(text) else { throw .badCollapseID }
        return topic
    }

    private static func expiration(_ text: String?) throws(APNsReason) -> Expiration {
        guard let text else { return .none }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seconds = Int64(text), seconds <= latestExpiration
        else { throw .badExpirationDate }
        return seconds == 0 ? .now : .at(WallTime(nanoseconds: seconds * 1_000_000_000))
    }

    /// Whether the push is an alert. A push without a type counts as a background push.
    private static func isAlert(pushType text: String?) throws(APNsReason) -> Bool {
        guard let text, text != "background" else { return false }
        if text == "alert" { return true }
        throw pushTypes.contains(text) ? .topicDisallowed : .invalidPushType
    }

    /// Many clients send no priority for background pushes, although it then counts as 10 by Apple's rule: it counts as
    /// 5 here. An alert is shown at once, whatever its priority.
    private static func isLow(priority text: String?, ofAlert isAlert: Bool) throws(APNsReason) -> Bool {
        switch text {
        case nil, "5": return false
        case "10" where isAlert: return false
        case "1": return !isAlert
        default: throw .badPriority
        }
    }
}

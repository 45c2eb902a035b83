// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FoundationEssentials
package import TaskModel

/// The JSON of notifications: the payload of an alert push by Apple's rules, and the answer of a notification service
/// extension.
package enum NotificationJSON {
    /// The alert in a payload: `aps.alert` as a text or as an object, and `aps.mutable-content`.
    package struct Alert: Hashable, Sendable {
        package let content: NotificationContent
        package let isMutable: Bool
    }

    /// The content that an extension answers: an object with the texts `title`, `subtitle` and `body`. Nil for other
    /// JSON, for an object without text, and for more than `NotificationContent.mostBytes` bytes.
    package static func content(_ bytes: [UInt8]) -> NotificationContent? {
        guard bytes.count <= NotificationContent.mostBytes, case .object(let members)? = value(bytes) else {
            return nil
        }
        return content(members)
    }

    /// The alert in the payload of a push; nil when it is no JSON, or has no text to show.
    package static func alert(inPayload bytes: [UInt8]) -> Alert? {
        guard case .object(let payload)? = value(bytes), case .object(let aps)? = payload["aps"] else { return nil }
        let content: NotificationContent?
        switch aps["alert"] {
        case .string(let text): content = text.isEmpty ? nil : NotificationContent(title: text)
        case .object(let members): content = Self.content(members)
        default: content = nil
        }
        return content.map { Alert(content: $0, isMutable: aps["mutable-content"] == .integer(1)) }
    }

    /// The payload of an alert push with a content, by Apple's rules.
    package static func payload(of content: NotificationContent, isMutable: Bool) -> [UInt8] {
        let alert = Payload.Alert(title: content.title, subtitle: content.subtitle, body: content.body)
        let payload = Payload(aps: Payload.APS(alert: alert, mutableContent: isMutable ? 1 : nil))
        // Texts alone: their encoding cannot fail.
        return (try? WireCoding.encode(payload)).map { Array($0) } ?? []
    }

    private static func value(_ bytes: [UInt8]) -> JSONValue? { try? JSONValue(parsing: Data(bytes)) }

    private static func content(_ members: [String: JSONValue]) -> NotificationContent? {
        var texts: [String: String] = [:]
        for name in ["title", "subtitle", "body"] {
            switch members[name] {
            case nil, .null: continue
            case .string(let text): texts[name] = text
            default: return nil
            }
        }
        let content = NotificationContent(
            title: texts["title"] ?? "",
            subtitle: texts["subtitle"],
            body: texts["body"]
        )
        return content.isEmpty ? nil : content
    }

    private struct Payload: Encodable {
        struct APS: Encodable {
            let alert: Alert
            let mutableContent: Int?

            private enum CodingKeys: String, CodingKey {
                case alert
                case mutableContent = "mutable-content"
            }
        }

        struct Alert: Encodable {
            let title: String
            let subtitle: String?
            let body: String?
        }

        let aps: APS
    }
}

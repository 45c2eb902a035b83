// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

extension PluginPush {
    /// The alert of a valid push.
    package struct ValidAlert: Hashable, Sendable {
        package let content: NotificationContent
        package let topic: NotificationTopic?
        package let isMutable: Bool
    }

    /// Creates an alert push. Without a payload the extension receives one with the content, by Apple's rules.
    package init(
        alert content: NotificationContent,
        topic: NotificationTopic? = nil,
        isMutable: Bool = false,
        payload: [UInt8] = [],
        token: PushToken? = nil,
        id: UUID? = nil
    ) {
        self.init(payload: payload, token: token, id: id)
        alert = content.title
        subtitle = content.subtitle
        body = content.body
        self.topic = topic?.text
        mutable = isMutable ? true : nil
    }

    /// The alert of the push; nil for a background push.
    func validAlert() throws(RouteError) -> ValidAlert? {
        guard let alert else {
            let others: [(String, Bool)] = [
                ("subtitle", subtitle != nil), ("body", body != nil), ("topic", topic != nil),
                ("mutable", mutable != nil),
            ]
            if let other = others.first(where: \.1)?.0 {
                throw Self.misplaced(other, "needs the field \"alert\"", remedy: "add the title as \"alert\"")
            }
            return nil
        }
        let others: [(String, Bool)] = [
            ("expires_at", expiresAt != nil), ("priority", priority != nil), ("only_now", onlyNow != nil),
        ]
        if let other = others.first(where: \.1)?.0 {
            throw Self.misplaced(other, "has no effect on an alert, which is shown at once", remedy: "leave it out")
        }
        let content = NotificationContent(title: alert, subtitle: subtitle, body: body)
        let size = NotificationJSON.payload(of: content, isMutable: true).count
        if content.isEmpty {
            let problem = "field \"alert\" is empty, and there is no \"body\""
            throw RouteError(.fieldNotOfKind, field: "alert", problem, remedy: "write a title, a body, or both")
        }
        if size > TaskRequest.maximumPushPayload {
            throw RouteError(
                .payloadTooLarge,
                field: "alert",
                "title, subtitle and body have \(size) bytes as JSON; at most"
                    + " \(TaskRequest.maximumPushPayload) are allowed",
                remedy: "shorten them"
            )
        }
        return ValidAlert(content: content, topic: try validTopic(), isMutable: mutable ?? false)
    }

    private func validTopic() throws(RouteError) -> NotificationTopic? {
        guard let topic else { return nil }
        if let valid = NotificationTopic(topic) { return valid }
        throw RouteError(
            .textTooLong,
            field: "topic",
            "field \"topic\" has \(topic.utf8.count) bytes, or control characters",
            remedy: "write 1 to \(NotificationTopic.mostBytes) bytes without control characters"
        )
    }

    private static func misplaced(_ field: String, _ rule: String, remedy: String) -> RouteError {
        RouteError(.fieldNotOfKind, field: field, "field \"\(field)\" \(rule)", remedy: remedy)
    }
}

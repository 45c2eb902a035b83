// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The content of a notification: the text that a user reads.
package struct NotificationContent: Hashable, Sendable {
    /// Maximum size of the JSON of a content, in bytes.
    package static let mostBytes = 4_096

    package let title: String
    /// The second line; nil for none.
    package let subtitle: String?
    package let body: String?

    package init(title: String, subtitle: String? = nil, body: String? = nil) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
    }

    /// Whether there is no text to show.
    package var isEmpty: Bool { title.isEmpty && (subtitle ?? "").isEmpty && (body ?? "").isEmpty }
}

/// The topic of notifications of one plugin. They are shown in order, and on a desktop the newest replaces the others.
/// Notifications without a topic are shown in order, too, and replace nothing.
package struct NotificationTopic: Hashable, Sendable {
    /// Maximum size in bytes of UTF-8.
    package static let mostBytes = 64

    package let text: String

    /// Creates the topic with this text; nil for a text that is empty, too long, or has control characters.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.mostBytes,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { return nil }
        self.text = text
    }
}

/// A notification that the host shows: one entry of the feed.
package struct ShownNotification: Hashable, Sendable {
    package let at: WallTime
    /// The plugin that it is about.
    package let plugin: PluginIdentifier
    /// The topic of the alert push; nil for none.
    package let topic: NotificationTopic?
    /// The number of the alert push.
    package let submission: SubmissionNumber
    package let content: NotificationContent

    package init(
        at time: WallTime,
        plugin: PluginIdentifier,
        topic: NotificationTopic?,
        submission: SubmissionNumber,
        content: NotificationContent
    ) {
        at = time
        self.plugin = plugin
        self.topic = topic
        self.submission = submission
        self.content = content
    }
}

/// An accepted alert push whose notification is not shown yet.
package struct PendingAlert: Hashable, Sendable {
    package let number: SubmissionNumber
    package let plugin: PluginIdentifier
    package let topic: NotificationTopic?
    /// The content of the push, which is shown unless an extension changes it.
    package let original: NotificationContent
    package let acceptedAt: WallTime

    package init(
        number: SubmissionNumber,
        plugin: PluginIdentifier,
        topic: NotificationTopic?,
        original: NotificationContent,
        acceptedAt: WallTime
    ) {
        self.number = number
        self.plugin = plugin
        self.topic = topic
        self.original = original
        self.acceptedAt = acceptedAt
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/notifications`: a range of the feed, oldest first.
package struct NotificationReply: Codable, Hashable, Sendable {
    package var notifications: [NotificationLine]
    /// Value of `after` for the next call: the number of the newest notification of the answer, or of the feed.
    package let last: Int64
    /// The number of the oldest notification that the feed still has; nil for an empty feed. Notifications before it
    /// are deleted: a reader whose `after` is less than the number before it has missed some.
    package let oldest: Int64?

    package init(notifications: [NotificationLine], last: Int64, oldest: Int64?) {
        (self.notifications, self.last, self.oldest) = (notifications, last, oldest)
    }
}

/// One notification with its number; also one line of the stream.
package struct NotificationLine: Codable, Hashable, Sendable {
    /// The rising number of the notification, never reused.
    package let number: Int64
    package let at: Timestamp
    private let atSecond: CalendarTime
    /// The name of the host's alarm; nil for the notification of an alert push.
    package let alarm: String?
    /// The journal event of the alarm; nil as `alarm`.
    package let event: String?
    /// The plugin that the notification is about; nil for the host.
    package let plugin: String?
    /// The topic of the alert push; nil for none.
    package let topic: String?
    /// The number of the alert push, or of the task of an alarm; nil without one.
    package let submission: Int64?
    package let launch: Int64?
    /// The identifier of the task of an alarm; nil when the alarm is about no task.
    package let identifier: String?
    /// The name of the event of an alarm; nil when the alarm is about no event.
    package let eventName: String?
    /// The blame of an alarm; nil for the notification of an alert push.
    package let blame: String?
    /// Whether a notification service extension changed the content.
    package let isChanged: Bool
    package let title: String
    package let subtitle: String?
    package let body: String?

    package init(
        number: Int64,
        at: WallTime,
        alarm: String? = nil,
        event: String? = nil,
        plugin: String?,
        topic: String? = nil,
        submission: SubmissionNumber? = nil,
        launch: LaunchNumber? = nil,
        task: String? = nil,
        blame: String? = nil,
        isChanged: Bool = false,
        content: NotificationContent
    ) {
        self.number = number
        self.at = Timestamp(at)
        atSecond = CalendarTime(secondOf: self.at)
        (self.alarm, self.event, self.plugin, self.topic, self.blame) = (alarm, event, plugin, topic, blame)
        self.submission = submission?.rawValue
        self.launch = launch?.rawValue
        let label = WorkLabel(task)
        (identifier, eventName) = (label.identifier, label.eventName)
        self.isChanged = isChanged
        (title, subtitle, body) = (content.title, content.subtitle, content.body)
    }

    /// The task identifier, or the name of the plugin event; nil when the notification is about neither.
    package var task: String? { identifier ?? eventName }

    private enum CodingKeys: String, CodingKey {
        case number, alarm, event, plugin, topic, submission, launch, identifier, blame, title, subtitle, body
        case at = "at_ns"
        case atSecond = "at"
        case eventName = "event_name"
        case isChanged = "changed"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The rising number of a notification in one ledger, never reused.
package struct NotificationNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "\(rawValue)" }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A notification as read from the ledger.
package struct NotificationRecord: Hashable, Sendable {
    package let number: NotificationNumber
    package let at: WallTime
    /// The name of the host's alarm; nil for the notification of an alert push. An older host may have recorded an
    /// alarm that no longer exists.
    package let alarm: String?
    /// The journal event of the alarm; nil as `alarm`.
    package let event: String?
    /// The plugin that the notification is about; nil for the host.
    package let plugin: String?
    /// The topic of the alert push; nil for none.
    package let topic: String?
    /// The number of the alert push or of the task; nil without one.
    package let submission: SubmissionNumber?
    package let launch: LaunchNumber?
    /// The task identifier, or the name of an event, of an alarm; nil when the alarm is about neither.
    package let label: String?
    /// The blame of an alarm; nil for the notification of an alert push.
    package let blame: String?
    /// Whether an extension changed the content.
    package let isChanged: Bool
    package let content: NotificationContent
}

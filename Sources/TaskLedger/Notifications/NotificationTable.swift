// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

// The feed of shown notifications. Numbers rise and are never reused. The newest ones are kept, so that the table has a
// bounded size. Further alarms are kept: a sender of many alerts does not delete them.
extension WriteAccess {
    /// Shows a notification at once.
    func show(_ notification: ShownNotification) throws {
        let content = notification.content
        try run(
            Notifications.push,
            notification.at.nanoseconds,
            notification.plugin.text,
            notification.topic?.text,
            notification.submission.rawValue,
            content.title,
            content.subtitle,
            content.body
        )
        try trimNotifications()
    }

    /// Shows the alarm of a journal entry.
    func show(_ alarm: HostAlarm, about entry: JournalEntry) throws {
        try run(
            Notifications.alarm,
            entry.at.nanoseconds,
            alarm.rawValue,
            entry.event.name,
            entry.plugin?.text,
            entry.submission?.rawValue,
            entry.launch?.rawValue,
            entry.label,
            entry.blame.rawValue,
            alarm.row.meaning,
            entry.message
        )
        try trimNotifications()
        try run(Notifications.trimAlarms, Int64(Notifications.kept))
    }

    /// Deletes the alerts that are not among the newest notifications.
    func trimNotifications() throws { try run(Notifications.trim, Int64(Notifications.kept)) }
}

extension Database {
    func notifications(after number: NotificationNumber?, limit: Int) throws -> [NotificationRecord] {
        let sql = "\(Notifications.select) WHERE number > ? ORDER BY number LIMIT ?"
        return try rows(sql, [number?.rawValue ?? 0, limit], of: "notification") { try $0.notification() }
    }

    func newestNotifications(limit: Int) throws -> [NotificationRecord] {
        let sql = "\(Notifications.select) ORDER BY number DESC LIMIT ?"
        return try rows(sql, [limit], of: "notification") { try $0.notification() }.reversed()
    }

    /// The numbers between which the feed is complete. Older alarms may precede them.
    func notificationRange() throws -> ClosedRange<NotificationNumber>? {
        let sql = """
            SELECT max(min(number), max(number) - \(Notifications.kept - 1)) AS first, max(number) AS last
            FROM notification
            """
        let range = try rows(sql, of: "notification") { row in
            (try row.optional("first") { try $0.integer($1) }, try row.optional("last") { try $0.integer($1) })
        }.first
        guard let first = range?.0, let last = range?.1, first <= last else { return nil }
        return NotificationNumber(rawValue: first)...NotificationNumber(rawValue: last)
    }
}

extension RowReader {
    fileprivate mutating func notification() throws -> NotificationRecord {
        NotificationRecord(
            number: NotificationNumber(rawValue: try integer("number")),
            at: try wallTime("at"),
            alarm: try optionalText("alarm"),
            event: try optionalText("event"),
            plugin: try optionalText("plugin"),
            topic: try optionalText("topic"),
            submission: try optional("submission") { try $0.submission($1) },
            launch: try optional("launch") { try $0.launch($1) },
            label: try optionalText("label"),
            blame: try optionalText("blame"),
            isChanged: try flag("is_changed"),
            content: NotificationContent(
                title: try text("title"),
                subtitle: try optionalText("subtitle"),
                body: try optionalText("body")
            )
        )
    }
}

enum Notifications {
    /// Number of notifications that the feed keeps, and of alarms.
    static let kept = 2_000

    static let push = StatementText(
        """
        INSERT INTO notification (at, plugin, topic, submission, is_changed, title, subtitle, body)
        VALUES (?, ?, ?, ?, 0, ?, ?, ?)
        """
    )
    static let alarm = StatementText(
        """
        INSERT INTO notification (at, alarm, event, plugin, submission, launch, label, blame, is_changed, title, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)
        """
    )
    static let trim = StatementText(
        "DELETE FROM notification WHERE number <= (SELECT max(number) FROM notification) - ? AND alarm IS NULL"
    )
    static let trimAlarms = StatementText(
        """
        DELETE FROM notification
        WHERE alarm IS NOT NULL AND number <= (
            SELECT number FROM notification WHERE alarm IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET ?
        )
        """
    )
    static let select = """
        SELECT number, at, alarm, event, plugin, topic, submission, launch, label, blame, is_changed, title, subtitle,
            body
        FROM notification
        """
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

// The accepted alert pushes whose notification is not shown yet.
extension WriteAccess {
    func store(_ alert: PendingAlert) throws {
        try run(
            Alerts.store,
            alert.number.rawValue,
            alert.plugin.text,
            alert.topic?.text,
            alert.acceptedAt.nanoseconds,
            alert.original.title,
            alert.original.subtitle,
            alert.original.body
        )
    }

    /// Moves an alert to the feed, with another content unless it is nil. Does nothing without the alert: so it is
    /// shown once, whatever the order of a launch's end, a deadline and a restart.
    func showAlert(_ number: SubmissionNumber, _ content: NotificationContent?, at now: WallTime) throws {
        if let content {
            try run(
                Alerts.showChanged,
                now.nanoseconds,
                content.title,
                content.subtitle,
                content.body,
                number.rawValue
            )
        } else {
            try run(Alerts.showOriginal, now.nanoseconds, number.rawValue)
        }
        if changes == 0 { return }
        try run(Alerts.remove, number.rawValue)
        try removeEvent(number)
        try trimNotifications()
    }
}

extension Database {
    /// The alerts that are not shown yet, in order. Unreadable rows are left out: they concern one notification each,
    /// and must not prevent the start of the host.
    func pendingAlerts() throws -> [PendingAlert] { try alerts().values }

    /// The faults of the unreadable rows.
    func alertFaults() throws -> [LedgerFault] { try alerts().faults }

    private func alerts() throws -> (values: [PendingAlert], faults: [LedgerFault]) {
        try readableRows(Alerts.all, of: "alert") { row in
            PendingAlert(
                number: try row.submission("number"),
                plugin: try row.plugin("plugin"),
                topic: try row.optional("topic") { try $0.value($1, fromText: { NotificationTopic($0) }) },
                original: NotificationContent(
                    title: try row.text("title"),
                    subtitle: try row.optionalText("subtitle"),
                    body: try row.optionalText("body")
                ),
                acceptedAt: try row.wallTime("accepted_at")
            )
        }
    }
}

private enum Alerts {
    static let store = StatementText(
        "INSERT INTO alert (number, plugin, topic, accepted_at, title, subtitle, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    static let showOriginal = StatementText(
        """
        INSERT INTO notification (at, plugin, topic, submission, is_changed, title, subtitle, body)
        SELECT ?, plugin, topic, number, 0, title, subtitle, body FROM alert WHERE number = ?
        """
    )
    static let showChanged = StatementText(
        """
        INSERT INTO notification (at, title, subtitle, body, is_changed, plugin, topic, submission)
        SELECT ?, ?, ?, ?, 1, plugin, topic, number FROM alert WHERE number = ?
        """
    )
    static let remove = StatementText("DELETE FROM alert WHERE number = ?")
    static let all = "SELECT number, plugin, topic, accepted_at, title, subtitle, body FROM alert ORDER BY number"
}

extension LedgerSchema {
    /// A migration: the accepted alert pushes, and the feed of shown notifications.
    static let notifications = """
        CREATE TABLE alert (
            number INTEGER PRIMARY KEY,
            plugin TEXT NOT NULL,
            topic TEXT,
            accepted_at INTEGER NOT NULL,
            title TEXT NOT NULL,
            subtitle TEXT,
            body TEXT
        ) STRICT;

        CREATE TABLE notification (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            alarm TEXT,
            event TEXT,
            plugin TEXT,
            topic TEXT,
            submission INTEGER,
            launch INTEGER,
            label TEXT,
            blame TEXT,
            is_changed INTEGER NOT NULL,
            title TEXT NOT NULL,
            subtitle TEXT,
            body TEXT
        ) STRICT;
        """
}

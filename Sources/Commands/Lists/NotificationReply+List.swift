// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

extension NotificationReply: ListReply {
    static let nothingFound = "no notification was shown"

    static let sortKeys: [SortKey<NotificationLine>] = [
        SortKey("number") { $0.number }, SortKey("time") { $0.at.wall }, SortKey("kind") { $0.alarm },
        SortKey("plugin") { $0.plugin }, SortKey("title") { $0.title },
    ]

    static func name(of row: NotificationLine) -> String { "\(row.number)" }

    var rows: [NotificationLine] {
        get { notifications }
        set { notifications = newValue }
    }
}

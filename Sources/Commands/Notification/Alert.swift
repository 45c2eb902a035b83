// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// One lasting failure, from a journal entry or from the state of the host.
struct Alert: Codable, Hashable {
    let alert: AlertKind
    /// The journal event; nil for an alert from the state of the host.
    let event: String?
    /// The number of the journal entry; nil as `event`.
    let number: Int64?
    let at: CalendarTime
    /// The plugin that the alert is about; nil for the host.
    let plugin: String?
    /// The task identifier, or the name of an event; nil when the alert is about neither.
    let task: String?
    let launch: Int64?
    let blame: String
    let message: String
    let remedy: String

    init(_ kind: AlertKind, about line: JournalLine) {
        alert = kind
        event = line.event
        number = line.number
        at = CalendarTime(secondOf: line.at)
        plugin = line.plugin
        task = line.task
        launch = line.launch
        blame = line.blame
        message = line.message
        remedy = kind.remedy(launch: line.launch)
    }

    /// The notification of an alert push.
    init(_ line: NotificationLine) {
        alert = .notification
        (event, number, task, launch) = (nil, nil, nil, nil)
        at = CalendarTime(secondOf: line.at)
        plugin = line.plugin
        blame = Blame.nobody.rawValue
        message = [line.title, line.subtitle, line.body].compactMap(\.self).filter { !$0.isEmpty }
            .joined(separator: ": ")
        remedy = alert.row.remedy
    }

    /// An alert from the state of the host.
    init(_ kind: AlertKind, at time: WallTime, message: String) {
        alert = kind
        (event, number, plugin, task, launch) = (nil, nil, nil, nil, nil)
        at = CalendarTime(secondOf: Timestamp(time))
        blame = Blame.machine.rawValue
        self.message = message
        remedy = kind.row.remedy
    }
}

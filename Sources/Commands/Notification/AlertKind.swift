// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A lasting failure that `bgtask notification follow` reports: no retry corrects it.
enum AlertKind: String, Codable, Hashable, CaseIterable {
    case abandoned
    case failed
    case overstayed
    case refused
    case occurrenceMissed = "occurrence-missed"
    case diskLow = "disk-low"
    case ledgerFailing = "ledger-failing"
    case notification

    /// Meaning of the alert, the journal events that cause it, the blames of these entries, and the remedy. Without
    /// events, the state of the host causes it.
    var row: (meaning: String, events: Set<JournalEntry.Event>, blames: Set<Blame>, remedy: String) {
        switch self {
        case .abandoned:
            (
                HostAlarm.abandoned.row.meaning, HostAlarm.abandoned.row.events, HostAlarm.abandoned.row.blames,
                "correct the cause, and submit the task again with bgtask task retry"
            )
        case .failed:
            (
                HostAlarm.failed.row.meaning, HostAlarm.failed.row.events, HostAlarm.failed.row.blames,
                "correct the cause, and submit the task again with bgtask task retry"
            )
        case .overstayed:
            (
                HostAlarm.overstayed.row.meaning, HostAlarm.overstayed.row.events, HostAlarm.overstayed.row.blames,
                "end the work at its expiration, or raise the budget of the plugin"
            )
        case .refused:
            (
                HostAlarm.refused.row.meaning, HostAlarm.refused.row.events, HostAlarm.refused.row.blames,
                "see the problem with bgtask plugin list and bgtask why"
            )
        case .occurrenceMissed:
            (
                HostAlarm.occurrenceMissed.row.meaning, HostAlarm.occurrenceMissed.row.events,
                HostAlarm.occurrenceMissed.row.blames,
                "correct the schedule, which bgtask schedule list shows"
            )
        case .diskLow:
            (
                HostAlarm.diskLow.row.meaning, [], [],
                "delete files on this disk, or lower disk-reserve in the configuration of the host"
            )
        case .notification:
            ("the notification of an alert push, only if it is selected", [], [], "none is needed")
        case .ledgerFailing:
            (
                "the ledger cannot be written, and no request is accepted", [], [],
                "find the cause with bgtask host check"
            )
        }
    }

    /// The remedy, with the commands that show the launch and the plugin's lines in it.
    func remedy(launch: Int64?) -> String {
        guard let launch else { return row.remedy }
        return "\(row.remedy); read bgtask launch show \(launch) and bgtask logs \(launch)"
    }

    /// The kind of alert that an entry with this event and blame causes; nil for none.
    init?(event: String, blame: String) {
        let match = Self.allCases.first { kind in
            kind.row.events.contains { $0.name == event } && kind.row.blames.contains { $0.rawValue == blame }
        }
        guard let match else { return nil }
        self = match
    }
}

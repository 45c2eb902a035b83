// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A lasting failure that `bgtask notification follow` reports: no retry corrects it. Also the notification of an alert
/// push, which is reported only if it is selected.
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
    /// events, the state of the host or the feed of notifications causes it. The alarms of the host have the same table.
    var row: (meaning: String, events: Set<JournalEntry.Event>, blames: Set<Blame>, remedy: String) {
        let (remedy, meaning) = own
        guard let alarm = HostAlarm(rawValue: rawValue)?.row else { return (meaning, [], [], remedy) }
        // The state of the host has the present shortage, also after a start of the command.
        if self == .diskLow { return (alarm.meaning, [], [], remedy) }
        return (alarm.meaning, alarm.events, alarm.blames, remedy)
    }

    /// The remedy, and the meaning of an alert that is no alarm of the host.
    private var own: (remedy: String, meaning: String) {
        switch self {
        case .abandoned, .failed: ("correct the cause, and submit the task again with bgtask task retry", "")
        case .overstayed: ("end the work at its expiration, or raise the budget of the plugin", "")
        case .refused: ("see the problem with bgtask plugin list and bgtask why", "")
        case .occurrenceMissed: ("correct the schedule, which bgtask schedule list shows", "")
        case .diskLow: ("delete files on this disk, or lower disk-reserve in the configuration of the host", "")
        case .ledgerFailing:
            ("find the cause with bgtask host check", "the ledger cannot be written, and no request is accepted")
        case .notification:
            ("read it with bgtask notification list", "an alert push was shown; reported only if it is selected")
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

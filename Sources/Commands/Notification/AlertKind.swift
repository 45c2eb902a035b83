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

    /// Meaning of the alert, the journal events that cause it, the blames of these entries, and the remedy. Without
    /// events, the state of the host causes it.
    var row: (meaning: String, events: Set<JournalEntry.Event>, blames: Set<Blame>, remedy: String) {
        switch self {
        case .abandoned:
            (
                "a task has used up its attempts", [.task(.abandoned)], Self.notByUser,
                "correct the cause, and submit the task again with bgtask task retry"
            )
        case .failed:
            (
                "a task failed, and the host does not retry it",
                [.task(.failed), .task(.notRegistered), .task(.noProgress), .consumed], [.plugin, .unknown],
                "correct the cause, and submit the task again with bgtask task retry"
            )
        case .overstayed:
            (
                "a task or an assertion was still open at the end of its grace period",
                [.task(.expired), .task(.overran), .launch(.overran)], [.plugin, .unknown],
                "end the work at its expiration, or raise the budget of the plugin"
            )
        case .refused:
            (
                "the host refuses a plugin", [.pluginRefused, .provenanceRefused], Set(Blame.allCases),
                "see the problem with bgtask plugin list and bgtask why"
            )
        case .occurrenceMissed:
            (
                "the request of a schedule was refused", [.occurrenceMissed], Set(Blame.allCases),
                "correct the schedule, which bgtask schedule list shows"
            )
        case .diskLow:
            (
                "the disk of the containers lacks its reserve, and background launches wait", [], [],
                "delete files on this disk, or lower disk-reserve in the configuration of the host"
            )
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

    private static let notByUser = Set(Blame.allCases).subtracting([.user])

    /// The kind of alert that an entry with this event and blame causes; nil for none.
    init?(event: String, blame: String) {
        let match = Self.allCases.first { kind in
            kind.row.events.contains { $0.name == event } && kind.row.blames.contains { $0.rawValue == blame }
        }
        guard let match else { return nil }
        self = match
    }
}

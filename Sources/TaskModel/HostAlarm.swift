// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A lasting failure that the host itself shows as a notification. The journal entry of the failure causes it.
package enum HostAlarm: String, Hashable, Sendable, CaseIterable {
    case abandoned
    case failed
    case overstayed
    case refused
    case occurrenceMissed = "occurrence-missed"
    case diskLow = "disk-low"

    /// Meaning of the alarm, and the journal events and blames of the entries that cause it.
    package var row: (meaning: String, events: Set<JournalEntry.Event>, blames: Set<Blame>) {
        switch self {
        case .abandoned: ("a task has used up its attempts", [.task(.abandoned)], Self.notByUser)
        case .failed:
            (
                "a task failed, and the host does not retry it",
                [.task(.failed), .task(.notRegistered), .task(.noProgress), .consumed], [.plugin, .unknown]
            )
        case .overstayed:
            (
                "a task or an assertion was still open at the end of its grace period",
                [.task(.expired), .task(.overran), .launch(.overran)], [.plugin, .unknown]
            )
        case .refused:
            ("the host refuses a plugin", [.pluginRefused, .provenanceRefused], Set(Blame.allCases))
        case .occurrenceMissed:
            ("the request of a schedule was refused", [.occurrenceMissed], Set(Blame.allCases))
        case .diskLow:
            (
                "the disk of the containers lacks its reserve, and background launches wait", [.diskLow],
                Set(Blame.allCases)
            )
        }
    }

    private static let notByUser = Set(Blame.allCases).subtracting([.user])

    /// The alarm that an entry with this event and blame causes; nil for none.
    package init?(_ event: JournalEntry.Event, blame: Blame) {
        guard let alarm = Self.byEvent[event], alarm.row.blames.contains(blame) else { return nil }
        self = alarm
    }

    /// By event, for a lookup at every journal entry.
    private static let byEvent = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { alarm in alarm.row.events.map { ($0, alarm) } }
    )
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// Selects the alerts among journal entries and states of the host.
struct AlertSelection: Hashable {
    /// Plugins whose alerts are selected; empty for every plugin. Alerts about the host are always selected.
    var plugins: Set<PluginIdentifier> = []
    /// Kinds that are selected; empty for every kind.
    var kinds: Set<AlertKind> = []

    /// Facts about earlier entries and states that later selections depend on.
    struct Memory: Codable, Hashable {
        /// The newest launch with an alert about an overstaying task. Its entry about the launch has the same cause.
        var overstayed: Int64?
        /// The alerts about the present state of the host, each of which is selected once.
        var holding: Set<AlertKind> = []
    }

    /// The alert of an entry; nil for none.
    func alert(of line: JournalLine, _ memory: inout Memory) -> Alert? {
        guard let kind = AlertKind(event: line.event, blame: line.blame), selects(kind, line.plugin) else { return nil }
        if kind == .overstayed, let launch = line.launch {
            if memory.overstayed == launch, line.event == JournalEntry.Event.launch(.overran).name { return nil }
            memory.overstayed = launch
        }
        return Alert(kind, about: line)
    }

    /// The alerts about the state of the host that have begun since the previous state.
    func alerts(of host: HostStatusReply, at now: WallTime, _ memory: inout Memory) -> [Alert] {
        var messages: [AlertKind: String] = [:]
        messages[.diskLow] = host.diskShortage
        messages[.ledgerFailing] = host.ledger.state == .failing ? host.ledger.error ?? "the newest commit failed" : nil
        let begun = AlertKind.allCases.filter { messages[$0] != nil && !memory.holding.contains($0) }
        memory.holding = Set(messages.keys)
        return begun.filter { selects($0, nil) }.map { Alert($0, at: now, message: messages[$0] ?? "") }
    }

    private func selects(_ kind: AlertKind, _ plugin: String?) -> Bool {
        guard kinds.isEmpty || kinds.contains(kind) else { return false }
        guard let plugin, !plugins.isEmpty else { return true }
        return plugins.contains { $0.text == plugin }
    }
}

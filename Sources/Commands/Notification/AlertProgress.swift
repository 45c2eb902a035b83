// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// The contents of the state file: the number of the last handled journal entry, and the alerts that were selected and
/// not yet delivered.
struct AlertProgress: Codable, Hashable {
    /// Version of the state file.
    private(set) var format = 1
    /// The number of the last handled journal entry; nil before the first connection.
    var number: Int64?
    /// The number of the last handled notification; nil before the first connection, and when none is selected.
    var notification: Int64?
    private(set) var memory = AlertSelection.Memory()
    private(set) var limiter = AlertLimiter()
    private(set) var queue = DeliveryQueue()

    /// The rules that the options of the command define.
    struct Rules: Hashable {
        var selection = AlertSelection()
        var interval = Duration.seconds(900)
        /// The control socket, for messages.
        var host: String

        /// The journal entries that may cause a selected alert.
        var filter: JournalFilter {
            let kinds = selection.kinds.isEmpty ? Set(AlertKind.allCases) : selection.kinds
            return JournalFilter(events: kinds.reduce(into: []) { $0.formUnion($1.row.events) })
        }
    }

    /// Time at which `collect` or the next attempt of a delivery has to be called; nil while nothing waits.
    var next: WallTime? { [limiter.next, queue.next].compactMap(\.self).min() }

    /// Without an earlier connection, handles only entries after `newest`, the number of the newest entry. A number
    /// below that of the last handled entry belongs to another ledger: all its entries are handled.
    mutating func begin(newest: Int64) {
        guard let handled = number else { return number = newest }
        if newest < handled { number = 0 }
    }

    /// Handles a journal entry. Returns remarks for the operator.
    mutating func take(_ line: JournalLine, by rules: Rules, at now: WallTime) -> [String] {
        if let number, line.number <= number { return [] }
        number = line.number
        return add(rules.selection.alert(of: line, &memory).map { [$0] } ?? [], by: rules, at: now)
    }

    /// Handles a notification of the feed. Returns remarks for the operator. The host's alarms arrive by the journal.
    mutating func take(_ line: NotificationLine, by rules: Rules) -> [String] {
        if let notification, line.number <= notification { return [] }
        notification = line.number
        let selection = FeedSelection(plugins: rules.selection.plugins, kinds: [.notification])
        guard line.alarm == nil, selection.selects(line) else { return [] }
        // Not limited: a sender that shows much delays no alarm of the plugin.
        let alert = Alert(line)
        let message = AlertMessage([alert], count: 1, newest: alert, host: rules.host)
        return [queue.add(message)].compactMap(\.self)
    }

    /// Handles the state of the host. Returns remarks for the operator.
    mutating func take(_ host: HostStatusReply, by rules: Rules, at now: WallTime) -> [String] {
        add(rules.selection.alerts(of: host, at: now, &memory), by: rules, at: now)
    }

    /// Queues the collected alerts of intervals that have passed. Returns remarks for the operator.
    mutating func collect(by rules: Rules, at now: WallTime) -> [String] {
        limiter.collect(every: rules.interval, at: now).compactMap { enqueue($0, by: rules) }
    }

    /// Records the outcome of an attempt to deliver a message. Returns a remark for the operator; nil for none.
    mutating func settle(_ message: AlertMessage, _ outcome: DeliveryQueue.Outcome, at now: WallTime) -> String? {
        queue.settle(message, outcome, at: now)
    }

    private mutating func add(_ alerts: [Alert], by rules: Rules, at now: WallTime) -> [String] {
        alerts.compactMap { alert in
            limiter.add(alert, every: rules.interval, at: now).flatMap { enqueue($0, by: rules) }
        }
    }

    private mutating func enqueue(_ group: AlertLimiter.Group, by rules: Rules) -> String? {
        guard let newest = group.alerts.last else { return nil }
        return queue.add(AlertMessage(group.alerts, count: group.count, newest: newest, host: rules.host))
    }
}

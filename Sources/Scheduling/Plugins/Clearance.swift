// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The pending work that is dropped when the retention of a removed plugin has passed, or when a user purges the
/// plugin.
struct Clearance: Hashable, Sendable {
    enum Cause: Hashable, Sendable {
        case kept(Duration)
        case purged(ReplyToken)
    }

    let plugin: PluginIdentifier
    let cause: Cause
    let requests: [PendingRequest]
    let events: [PendingEvent]
    /// Whether the plugin has a legacy fetch schedule, which is dropped as well.
    let fetches: Bool

    var works: [PendingWork] { requests.map(PendingWork.request) + events.map(PendingWork.event) }

    func changes(at now: Moment) -> [LedgerChange] {
        // The device token ends with the record of the plugin, so that pushes by this token are refused.
        var changes: [LedgerChange] = [.forgetPlugin(plugin), .changePushToken(plugin, .revoke, at: now.wall)]
        if fetches { changes.append(.setFetch(plugin, nil)) }
        changes += requests.map { .removeRequest($0.number) } + events.map { .removeEvent($0.number) }
        for work in works {
            changes.append(
                .journal(
                    JournalEntry(
                        at: now.wall,
                        event: .task(.abandoned),
                        plugin: plugin,
                        label: work.label,
                        submission: work.number,
                        blame: blame,
                        message: message,
                        claim: work.claim?.claim
                    )
                )
            )
        }
        return changes
    }

    private var blame: Blame {
        if case .purged = cause { .user } else { .nobody }
    }

    private var message: String {
        switch cause {
        case .kept(let retention):
            "the task is dropped: its plugin has been removed or refused for at least \(retention.humanReadable)"
        case .purged: "the task is dropped: its plugin was removed and purged"
        }
    }
}

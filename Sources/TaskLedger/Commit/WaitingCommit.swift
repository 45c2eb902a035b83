// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The changes of one ticket that wait to be written. They are written all or not at all.
struct WaitingCommit: Sendable {
    enum Origin: Sendable {
        case loop(ticket: UInt64)
        case waiter(@Sendable (Result<Void, LedgerError>) -> Void)
    }

    let origin: Origin
    let changes: [LedgerChange]
    /// Whether the ticket is history: a ticket of `Ledger.submit` with only waits, deferral periods and journal entries
    /// that end no task and that no user's call caused. All other tickets are answers, which can be written before
    /// older history.
    let isHistory: Bool
    /// Plugins whose waits or deferrals the ticket changes or deletes. Tickets that share one of these plugins are
    /// written in the order of submission.
    let classOwners: Set<PluginIdentifier>

    init(origin: Origin, changes: [LedgerChange]) {
        self.origin = origin
        self.changes = changes
        classOwners = Set(changes.compactMap(\.classOwner))
        isHistory =
            switch origin {
            case .loop: !changes.isEmpty && changes.allSatisfy(\.isHistory)
            case .waiter: false
            }
    }
}

extension LedgerChange {
    /// Whether the change is history: no decision or reply depends on it. Two kinds of journal entries are not history:
    ///
    /// - An entry with the outcome of a task: the outcome is also written to the task's row, where it must not
    ///   overwrite a later outcome.
    /// - An entry that a user's call caused: it must precede the entries about the effects of the call, such as
    ///   `launched`, whose tickets are answers.
    fileprivate var isHistory: Bool {
        switch self {
        case .journal(let entry): entry.endedTask == nil && entry.user == nil
        case .recordWait, .setDeferrals: true
        case .storeRequest, .removeRequest, .storeEvent, .removeEvent, .startLaunch, .startTask, .moveLaunch, .endTask,
            .requeueTask, .storeCursor, .dropCursor, .restart, .setStandstills, .forbidRequeue, .endLaunch, .setFetch,
            .recordOccurrence, .rememberPlugin, .forgetPlugin, .setPause, .setUses, .countPushes, .keepPushAnswer,
            .changePushToken, .storeTransfer, .takeTransfer, .dropTransfers, .raiseIncarnation, .storeAlert, .showAlert,
            .showNotification, .storeLease, .removeLease:
            false
        }
    }

    fileprivate var classOwner: PluginIdentifier? {
        switch self {
        case .recordWait(let key, _, _), .setDeferrals(let key, _): key.plugin
        case .forgetPlugin(let plugin): plugin
        case .storeRequest, .removeRequest, .storeEvent, .removeEvent, .startLaunch, .startTask, .moveLaunch, .endTask,
            .requeueTask, .storeCursor, .dropCursor, .restart, .setStandstills, .forbidRequeue, .endLaunch, .journal,
            .setFetch, .recordOccurrence, .rememberPlugin, .setPause, .setUses, .countPushes, .keepPushAnswer,
            .changePushToken, .storeTransfer, .takeTransfer, .dropTransfers, .raiseIncarnation, .storeAlert, .showAlert,
            .showNotification, .storeLease, .removeLease:
            nil
        }
    }
}

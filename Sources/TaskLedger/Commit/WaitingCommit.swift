// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The changes of one ticket on their way to the disk.
struct WaitingCommit: Sendable {
    enum Origin: Sendable {
        case shell(ticket: UInt64)
        case waiter(@Sendable (Result<Void, LedgerError>) -> Void)
    }

    let origin: Origin
    let changes: [LedgerChange]
    /// History may be written after answers that were submitted later.
    let isHistory: Bool
    /// Plugins whose waits or deferrals the ticket changes. Tickets with a plugin in common keep their order.
    let classOwners: Set<PluginIdentifier>

    init(origin: Origin, changes: [LedgerChange]) {
        self.origin = origin
        self.changes = changes
        classOwners = Set(changes.compactMap(\.classOwner))
        isHistory =
            switch origin {
            case .shell: !changes.isEmpty && changes.allSatisfy(\.isHistory)
            case .waiter: false
            }
    }
}

extension LedgerChange {
    /// Nothing that is decided or answered depends on it. The outcome of a task does not count as history: it is written
    /// to the row of the task as well, and must not be written there after a later one.
    fileprivate var isHistory: Bool {
        switch self {
        case .journal(let entry): entry.endedTask == nil
        case .recordWait, .setDeferrals: true
        default: false
        }
    }

    fileprivate var classOwner: PluginIdentifier? {
        switch self {
        case .recordWait(let key, _, _), .setDeferrals(let key, _): key.plugin
        case .forgetPlugin(let plugin): plugin
        default: nil
        }
    }
}

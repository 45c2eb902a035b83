// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A role of callers of the control socket. Each role includes the roles before it.
package enum ControlRole: String, CaseIterable, Hashable, Sendable, Comparable {
    /// Shows the state of the host, its plugins and tasks, and the journal.
    case read
    /// Submits, retries, cancels and runs requests, and sends pushes.
    case submit
    /// Calls every route.
    case operate

    package static func < (one: ControlRole, other: ControlRole) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .read: 0
        case .submit: 1
        case .operate: 2
        }
    }
}

extension Route {
    /// The least role that may call the route.
    package var role: ControlRole {
        switch self {
        case .apiDescription, .hostStatus, .pluginList, .pluginShow, .taskList, .taskWhy, .scheduleList, .launchList,
            .launchShow, .transferList, .transferShow, .journal, .notificationList, .stats, .metrics, .taskCursor,
            .forecast, .capacity, .leaseList, .leaseShow:
            .read
        case .taskSubmit, .taskSubmitBatch, .taskCancel, .taskRetry, .run, .pluginPush, .pushTokenCheck, .leaseRenew,
            .leaseDelete:
            .submit
        case .hostReload, .backupReport, .pluginPurge, .pluginTrigger, .pushTokenIssue, .pushTokenRevoke, .pluginPause,
            .pluginResume, .taskStop, .taskCursorClear, .launchStop, .transferPause, .transferResume, .transferCancel,
            .logs, .simulateExpiration, .simulateConditions:
            .operate
        }
    }
}

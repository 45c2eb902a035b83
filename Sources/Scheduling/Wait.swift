// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What one request or event waits for, as the history will tell it.
struct Wait: Hashable, Sendable {
    /// The codes of its reasons.
    var reasons: Set<String>
    var since: WallTime
    /// The ledger has it as an open wait.
    var isWritten: Bool
    /// Something of it was once to be written: whether that is closed is known for certain only when it is closed again.
    var mayBeOpen: Bool

    /// Shorter ones are no history.
    static let shortest: Duration = .seconds(1)
}

extension Reason {
    /// Known beforehand, or passes with the work of others or in a moment; written once it is over, and only if it took
    /// its time.
    var isMomentary: Bool {
        switch self {
        case .earliestBegin, .retryDelay, .laneBusy, .othersRunAlone, .launchLimit, .spacing, .spread, .beingRecorded,
            .runnerUnavailable,
            .hostStopping:
            true
        default: false
        }
    }

    /// The work's own time has not come.
    var isOwnTime: Bool {
        switch self {
        case .earliestBegin, .retryDelay: true
        default: false
        }
    }
}

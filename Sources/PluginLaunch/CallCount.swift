// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire

/// Count of the unanswered calls of one launch. The host counts them itself, because a tampered runner may ignore the
/// limit on unanswered calls (`CallWindow`).
struct CallCount {
    private var unanswered = 0
    /// Whether a call beyond the limit on unanswered calls was already reported.
    private var isReported = false

    /// Counts the message if it is a call. Returns false, without counting, for a call beyond the limit on unanswered
    /// calls. Returns true for every other message.
    mutating func admits(_ message: RunnerMessage) -> Bool {
        guard message.isCall else { return true }
        guard unanswered < CallWindow.limit else { return false }
        unanswered += 1
        return true
    }

    /// Whether a call beyond the limit on unanswered calls has to be reported: true at the first call of this function,
    /// false later.
    mutating func reports() -> Bool {
        defer { isReported = true }
        return !isReported
    }

    /// Counts one answer. An answer without a call has no effect.
    mutating func answered() { unanswered = max(0, unanswered - 1) }
}

extension RunnerMessage {
    /// Whether the message is a call that the host answers.
    var isCall: Bool {
        switch self {
        case .submit, .cancel, .cancelAll, .pending, .checkpoint, .registerForPushes, .unregisterForPushes,
            .beginTransfer, .cancelTransfer, .transfers:
            true
        case .entered, .registered, .loadFailed, .ffiMissing, .sandboxFailed, .confined, .completed,
            .expirationHandler,
            .expiring, .cursorWritten,
            .progress, .title, .fetchInterval, .notificationContent, .assertionBegan, .assertionEnded, .log, .violation,
            .stopped, .transferTaken, .transferEnded:
            false
        }
    }
}

extension HostMessage {
    /// Whether the message answers a call of the runner.
    var isAnswer: Bool {
        switch self {
        case .submitted, .refused, .cancelled, .pending, .cursorStored, .pushToken, .transferBegun, .transfers: true
        case .confine, .plan, .deliver, .expire, .yieldCursor, .expireAssertions, .stop: false
        }
    }
}

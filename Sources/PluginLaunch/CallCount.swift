// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire

/// Count of the unanswered calls of one launch, kept by the host: a tampered runner may ignore the window.
struct CallCount {
    private var unanswered = 0
    /// Whether a call beyond the window was reported.
    private var isReported = false

    /// Counts a message; false for a call beyond the window, which is not counted.
    mutating func admits(_ message: RunnerMessage) -> Bool {
        guard message.isCall else { return true }
        guard unanswered < CallWindow.limit else { return false }
        unanswered += 1
        return true
    }

    /// Whether the current call beyond the window is the first one, which is reported. True once per launch.
    mutating func reports() -> Bool {
        defer { isReported = true }
        return !isReported
    }

    /// Counts one answer. An answer without a call has no effect.
    mutating func answered() { unanswered = max(0, unanswered - 1) }
}

extension RunnerMessage {
    /// Whether the host answers the message.
    fileprivate var isCall: Bool {
        switch self {
        case .submit, .cancel, .cancelAll, .pending: true
        case .entered, .registered, .loadFailed, .ffiMissing, .completed, .returned, .expirationHandler, .expiring,
            .progress, .title, .fetchInterval, .assertionBegan, .assertionEnded, .log, .violation, .stopped:
            false
        }
    }
}

extension HostMessage {
    /// Whether the message answers a call of the runner.
    var isAnswer: Bool {
        switch self {
        case .submitted, .refused, .cancelled, .pending: true
        case .plan, .deliver, .expire, .expireAssertions, .stop: false
        }
    }
}
